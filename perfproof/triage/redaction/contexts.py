"""Secrets that only their surroundings tell: prose, commands, structures, columns; behind escapes and encodings too."""

import re
from collections.abc import Iterator
from functools import lru_cache

from perfproof.core.secret_names import holds, labels_a_secret
from perfproof.core.secrets import Secret, find
from perfproof.triage.redaction import commands, prose
from perfproof.triage.redaction.chosen_passwords import chosen_passwords
from perfproof.triage.redaction.keys import PAIR_VALUES
from perfproof.triage.redaction.meanings import words_of
from perfproof.triage.redaction.pairs import pairs, parent_of
from perfproof.triage.redaction.prose import is_mixed, is_plain, looks_like_password
from perfproof.triage.redaction.quiet import LONGEST_LINE, Hints, QuietLines
from perfproof.triage.redaction.structures import extended, secrets_in_structures
from perfproof.triage.redaction.tables import SECRET, columns
from perfproof.triage.redaction.told_passwords import told_passwords
from perfproof.triage.redaction.views import View, encoded_lines

KIND = "context"
# {"user": "a", "pass": …: beside a user, any word is a password
_USER_BESIDE = re.compile(
    r"(?<![A-Za-z])(?i:user(?:name)?|login|uid|usr|wi-?fi|wlan|ssid|account|admin)\\?[\"']?(?:\s?[:=]|\s)"
    r"[^\n]*(?:\n[ \t]*[\"']?)?$"
)
_NO_STARTS = ("$", "%", "{", "<", "--", "/", "./", "http", "@")  # a variable, a placeholder, a path
_VALUE = re.compile(r"[^\s\"'`“”<>|,;)\]}]+")
_MORE = re.compile(r"\r?\n(?=[A-Za-z0-9+/=_-]{6,200}\r?(?:\n|$))")  # a line that is one word
_QUIET = QuietLines(Hints([*prose.HINTS, *commands.HINTS]))
_GAP = "\n\n\n\n"
_PART = re.compile(r"(?:[^\n]|\n(?!\n\n\n))+")


def find_in_context(text: str) -> list[Secret]:
    found = [Secret(start, end, KIND) for start, end in _in_plain(text)]
    for first, line in encoded_lines(text):
        if len(line) > LONGEST_LINE:
            continue
        view = View(line)
        if view.text == line:
            continue
        spans = [(one.start, one.end) for one in find(view.text)] + list(_in_plain(view.text))
        for start, end in spans:
            if end > start:
                begin, stop = view.original(start, end)
                found.append(Secret(first + begin, first + stop, KIND))
    return [one._replace(end=extended(text, one.start, one.end)) for one in [*found, *_at_line_ends(text)]]


def _in_plain(text: str) -> Iterator[tuple[int, int]]:
    for at, part in _parts(text):
        yield from ((at + start, at + end) for start, end in secrets_in_structures(part))
    yield from _in_pairs(text)
    yield from told_passwords(text)
    yield from chosen_passwords(text)
    yield from ((start, end) for start, end, kind in columns(text) if kind == SECRET)
    yield from ((at + start, at + end) for at, (start, end) in _QUIET.search(text, _in_line))


@lru_cache(maxsize=1 << 14)
def _may_hold(label: str) -> bool:
    return label.lower() in PAIR_VALUES or labels_a_secret(label)


def _in_pairs(text: str) -> Iterator[tuple[int, int]]:
    """Values behind the name of a secret, in whatever structure the two stand."""
    for pair in pairs(text, _may_hold):
        if pair.label.lower() in PAIR_VALUES:  # DbPassword:, and in the line below Default: …
            pair = pair._replace(label=parent_of(text, pair.before))
            if not labels_a_secret(pair.label):
                continue
        field = text[pair.start : pair.end]
        found = None if pair.quoted else _VALUE.match(field)
        value = found[0].rstrip(".,:;") if found else field if pair.quoted else ""
        short = words_of(pair.label)[-1] == "pass"
        beside = short and _USER_BESIDE.search(text, max(0, pair.before - 80), pair.before) is not None
        if (
            "\0" in value
            or not (beside or holds(pair.label, value))
            or is_plain(value.strip("*"))
            or value.startswith(_NO_STARTS)
        ):
            continue
        sure = is_mixed(value, 6) if not pair.quoted else looks_like_password(value)
        if not pair.weak or (sure and not short):  # | test | pass |
            yield pair.start, pair.start + len(value)


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """No structure reaches over many empty lines."""
    if _GAP not in text:
        yield 0, text
    else:
        yield from ((part.start(), part[0]) for part in _PART.finditer(text))


def _in_line(line: str, chosen: int) -> Iterator[tuple[int, int]]:
    yield from prose.passwords_in_prose(line, chosen)
    yield from commands.passwords_in_commands(line, chosen >> len(prose.HINTS))


def _at_line_ends(text: str) -> Iterator[Secret]:
    """Secrets of a known form that may go on in the next line."""
    for below in _MORE.finditer(text):
        end = below.start() - 1 if text[below.start() - 1 : below.start()] == "\\" else below.start()
        start = text.rfind("\n", 0, end) + 1
        for one in find(text[start:end], entropy=False) if end - start < LONGEST_LINE else ():
            if one.end == end - start:
                yield one.moved(start)
