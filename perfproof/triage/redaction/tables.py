"""Columns: of a CSV by its header, and of what squeue, ps or lsblk print by the words above it."""

import re
from collections.abc import Iterator
from functools import lru_cache

from perfproof.core.secret_names import names_a_secret
from perfproof.triage.redaction.keys import PERSONAL, kind_of_key, may_stand_under, plain_key
from perfproof.triage.redaction.meanings import PLAIN_NAMES
from perfproof.triage.redaction.prose import is_plain

SECRET = "column"
_HEADS = {
    "USER": "user", "USERNAME": "user", "OWNER": "user", "NODELIST": "host", "NODELIST(REASON)": "host", "HOST": "host",
    "HOSTNAME": "host", "HOSTNAMES": "host", "NODE": "host", "SERIAL": "serial", "NODES_LIST": "host",
    "PASSWORD": SECRET, "PASS": SECRET, "PASSWD": SECRET, "PW": SECRET, "TOKEN": SECRET, "SECRET": SECRET,
}  # fmt: skip
_HEAD = r"[^\W\d%#][\w.%#()/+*-]*"
_HEADER = re.compile(  # two words or more: in capitals, far apart, or all in small letters; no sentence is written like that
    rf"^[ \t]*(?:%?[A-Z][A-Z0-9_%().+*/-]*(?:[ \t]+%?[A-Z(][A-Z0-9_%().+*/-]*)+|{_HEAD}(?: {_HEAD})?(?:(?:[ ]{{2,}}|\t+){_HEAD}(?: {_HEAD})?)+|[a-z]+(?:[ \t]+[a-z]+)+)[ \t\r]*$",
    re.MULTILINE,
)
_NO_CELL = re.compile(r"\d{1,5}|\([^)]*\)|[-*?~]+|.*\0.*|N/A|None|root|All", re.DOTALL)
_HEAD_WORD = re.compile(r"\S+(?: [a-z]\S*)*")
_APART, _WORD = re.compile(r"\S+(?: \S+)*"), re.compile(r"\S+")
_SENTENCE = {"THE", "OF", "OR", "AND", "IN", "TO", "IS"}
MOST_ROWS = 2000
_NAME = r"[^\W\d_][\w.-]{0,24}+(?: [\w.-]{1,12}+)?+"
_SEPARATED = re.compile(rf"^[ \t]*\|?[ \t]*{_NAME}(?:[ ]*[|,;\t][ ]*{_NAME}){{1,20}}[ ]*\|?[ \t\r]*$", re.MULTILINE)


def csv_columns(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a cell of a telling column stands, and its kind: a secret's, or that of an identity."""
    header = text.partition("\n")[0].lstrip("\ufeff")
    separator = max(",;\t|", key=header.count)
    if separator not in header:
        return
    columns: dict[int, str] = {}
    heads: list[str] = []
    for line in re.finditer(r"[^\n]+", text):
        cells = list(_cells(line[0], separator))
        kinds = column_kinds([cell for _, _, cell in cells])
        if (
            kinds
            and (not columns or len(kinds) >= len(columns))
            and all(not re.search(r"\d", cell) for _, _, cell in cells)
        ):
            columns = kinds
            heads = [
                "full name" if plain_key(cell) in PLAIN_NAMES and at in kinds else cell
                for at, (_, _, cell) in enumerate(cells)
            ]
            continue
        for at, kind in columns.items():
            if at < len(cells):
                start, end, cell = cells[at]
                if _is_cell(heads[at], kind, cell):
                    yield line.start() + start, line.start() + end, kind


def _is_cell(head: str, kind: str, cell: str) -> bool:
    post = plain_key(head) in ("zip", "zip_code", "postcode", "plz") and re.fullmatch(r"\d{4,6}", cell)
    if len(cell) < 3 or "\0" in cell or (_NO_CELL.fullmatch(cell) and not post):
        return False
    return kind == SECRET or kind not in ("user", "person", "phone") or may_stand_under(head, kind, cell)


def column_kinds(heads: list[str]) -> dict[int, str]:
    """The kind of each telling column. `name` is a person's if another column is about people."""
    kinds = {at: kind for at, head in enumerate(heads) if (kind := column_kind(head))}
    if any(kind in PERSONAL for kind in kinds.values()):
        kinds |= {at: "person" for at, head in enumerate(heads) if plain_key(head) in PLAIN_NAMES}
    return kinds


def column_kind(head: str) -> str | None:
    head = head.strip()
    if not re.fullmatch(r"[\w .\[\]%#()/-]{2,40}", head):
        return None
    if plain_key(head) in ("pw", "pass", "pin", "token", "psk", "pwd") or names_a_secret(head):
        return SECRET
    return kind_of_key(head)


@lru_cache(maxsize=4)  # secrets and people are looked for in the same text
def columns(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple(_columns(text))


def _columns(text: str) -> Iterator[tuple[int, int, str]]:
    """The same within any text: under words with blanks, `|`, commas or tabs between if one names a secret or a person."""
    yield from printed_columns(text)
    for head in _SEPARATED.finditer(text):
        mark = max(",;\t|", key=head[0].count)
        kinds = set(column_kinds(head[0].split(mark)).values())
        if SECRET not in kinds and "user" not in kinds and not kinds & set(PERSONAL):
            continue
        end = head.end()
        while row := re.compile(r"\r?\n[^\n]+").match(text, end):
            if row[0].count(mark) != head[0].count(mark) and row[0].strip(" \t\r\n|+-:="):
                break
            end = row.end()
        for start, stop, kind in csv_columns(text[head.start() : end]):
            if kind != SECRET or not re.search(r"\s", text[head.start() + start : head.start() + stop]):
                yield head.start() + start, head.start() + stop, kind


def printed_columns(text: str) -> Iterator[tuple[int, int, str]]:
    """Under a header of words with blanks between."""
    for head in _HEADER.finditer(text):
        words = list(_HEAD_WORD.finditer(head[0]))
        kinds = {at: kind for at, word in enumerate(words) if (kind := _printed_kind(word[0]))}
        apart = "  " in head[0].strip() or "\t" in head[0].strip()
        kinds = {
            at: kind
            for at, kind in kinds.items()
            if words[at][0].strip("*").upper() in _HEADS or (apart and kind != "host")
            if kind != "host" or words[at][0].isupper()
        }
        if _SENTENCE & {word[0] for word in words}:
            continue
        if not 2 <= len(words) <= 16 or not kinds or (head[0].islower() and set(kinds.values()) != {SECRET}):
            continue
        at, rows = head.end() + 1, 0
        while at < len(text) and rows < MOST_ROWS:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            cells = _cells_below(words, text[at:end])
            if not cells:
                break
            for column, kind in kinds.items():
                start, stop = cells[column] if column < len(cells) else (0, 0)
                cell = text[at + start : at + stop]
                if _is_cell(words[column][0], kind, cell) and not (kind == SECRET and is_plain(cell)):
                    yield at + start, at + stop, kind
            at, rows = end + 1, rows + 1


def _printed_kind(word: str) -> str | None:
    return _HEADS.get(word.strip("*").upper()) or column_kind(word.strip("*"))


def _cells_below(heads: list[re.Match[str]], row: str) -> list[tuple[int, int]]:
    """The cells of a row, one for each head; none if the row is no part of the table."""
    for pattern in (_APART, _WORD):  # cells of several words have two blanks between
        cells = [cell.span() for cell in pattern.finditer(row)]
        if len(cells) == len(heads):
            return cells
    if len(cells) < len(heads):
        return []
    return [
        *cells[: len(heads) - 1],
        cells[-1] if len(heads) > 3 else cells[len(heads) - 1],
    ]  # the last may be a command


def _cells(line: str, separator: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while at <= len(line):
        quoted = re.compile(r'\s*"(?P<cell>(?:[^"]|"")*)"\s*').match(line, at)
        if quoted and (quoted.end() == len(line) or line[quoted.end()] == separator):
            yield quoted.start("cell"), quoted.end("cell"), quoted["cell"]
            at = quoted.end() + 1
            continue
        end = line.find(separator, at)
        end = len(line) if end < 0 else end
        cell = line[at:end]
        start = at + len(cell) - len(cell.lstrip())
        yield start, start + len(cell.strip()), cell.strip()
        at = end + 1
