"""The one who hides: what was learned first, then secrets by their form, then whose machine it is."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from perfproof.core import secret_options
from perfproof.core.secrets import Secret, find, is_hidden, is_secret, merged, names_a_secret
from perfproof.triage.redaction import environment as variables
from perfproof.triage.redaction.contexts import find_in_context
from perfproof.triage.redaction.identities import Identity, find_identities
from perfproof.triage.redaction.keys import (
    PAIR_NAMES,
    PAIR_VALUES,
    TELLING_KEYS,
    USER_AND_PASSWORD,
    kind_of_key,
    may_stand_under,
    plain_key,
    whose,
)
from perfproof.triage.redaction.literals import encoded_forms, is_telling, standing_in
from perfproof.triage.redaction.logins_of_people import likely_logins
from perfproof.triage.redaction.ordinary_words import is_ordinary, is_used_as_a_word
from perfproof.triage.redaction.personal_values import parts_to_learn
from perfproof.triage.redaction.prose import speaks_of_a_password
from perfproof.triage.redaction.pseudonyms import KINDS, PSEUDONYM, Pseudonyms
from perfproof.triage.redaction.public_sites import is_public
from perfproof.triage.redaction.repeats import search_long
from perfproof.triage.redaction.second_reading import Find, Reader

# A secret that is told by what stands before it is looked for where it stands alone, too.
TOLD_BY_CONTEXT = {
    "named-secret", "option", "command-password", "authorization", "cookie", "netrc", "password-in-address", "context"
}  # fmt: skip
MOST_CACHED = 50_000
SHORTEST_SECRET = 4
_SCHEMES = "mschapv2 mschap pap chap gtc md5 basic bearer digest negotiate ntlm kerberos peap ttls"
SCHEMES = frozenset(_SCHEMES.split())
_PLACEHOLDER = re.compile(r"[a-z -]{0,40}>")  # behind <paste
_NEXT_FIELD = re.compile("[;&]")
_BEHIND_A_MARK = re.compile(r"[:=>|→\t][ \t]*[\"'(<]?$")  # a label told the name
REPLACED = re.compile(rf"{PSEUDONYM.pattern}|\[hidden-[a-z-]+\]")
REPLACED_GLANCE = re.compile(r"-[0-9a-f]{10}(?![0-9A-Za-z])")  # quickly tried


class Redactor:
    """`counts` says how many of each kind were hidden; `known` holds the values themselves, and is never stored."""

    def __init__(
        self,
        key: bytes | None = None,
        hosts: Iterable[str] = (),
        users: Iterable[str] = (),
        homes: Iterable[str] = (),
        second: Reader | None = None,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._pseudonyms = Pseudonyms(key)
        self._learned: dict[str, tuple[str, str]] = {}  # the value in small letters -> its kind and what replaces it
        self._known: set[str] = set()
        self.lessons = 0  # how often something was learned: what was looked at before has to be looked at again
        self._cache: dict[str, tuple[str, Counter[str]]] = {}
        self._second = second
        for kind, values in (("host", hosts), ("user", users), ("home", homes)):
            for value in values:
                self.learn(kind, value)

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(sorted(self._known))

    def learn(self, kind: str, value: str) -> None:
        """Hide this value from now on, wherever and however encoded it stands. Short and common words are refused."""
        value = value.strip().rstrip("/")
        if not is_telling(value) or value.lower() in self._learned or is_hidden(value) or PSEUDONYM.fullmatch(value):
            return
        instead = self._instead(kind, value)
        if kind != "person":  # a name is hidden where it has a capital, and a word like it stays
            self._known.add(value)
        for form in (value, *encoded_forms(value).values()):
            self._learned[form.lower()] = kind, instead
        self._cache.clear()
        self.lessons += 1

    def call(self, place: str, name: str) -> None:
        """Say `name` for a path from now on: no secret, but where somebody keeps things is nobody else's business."""
        if len(Path(place).parts) < 3:  # "/", "/root": everybody's
            return
        for form in (place, *encoded_forms(place).values()):
            self._learned.setdefault(form.lower(), ("place", name))
        self._cache.clear()
        self.lessons += 1

    def text(self, text: str) -> str:
        if not text:
            return text
        given = text
        text, lessons = self._without_learned(text), self.lessons
        text = self._without_secrets(text)
        if self.lessons != lessons:  # what was told in one place may stand bare in another
            text = self._without_learned(text)
        lessons = self.lessons
        text = self._without_identities(text)
        text = self._without_learned(text) if self.lessons != lessons else text
        return self._read_again(given, text) if "\n" in given else text

    def environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """What is allowed of it. Secret values are learned even where their variable is left out."""
        for name, value in environment.items():
            if variables.holds_a_secret(name, value):
                self.learn("variable", value)
        shown = {name: value for name, value in environment.items() if variables.is_allowed(name)}
        self.counts["variable-left-out"] += len(environment) - len(shown)
        return {name: self.value_under(name, value) for name, value in sorted(shown.items())}

    def arguments(self, words: Sequence[str]) -> list[str]:
        done, tool = [], ""
        for before, word in zip(["", *words], words, strict=False):
            done.append(self.value_after(before, word, tool))
            tool = secret_options.tool_of(word) or tool
        return done

    def json_value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            return self.value_under(key, value)
        if isinstance(value, Mapping):
            if plain_key(key) in variables.JSON_KEYS and all(isinstance(one, str) for one in value.values()):
                return self.environment(value)
            named = {plain_key(str(name)): one for name, one in value.items() if isinstance(one, str)}
            told = next((named[name] for name in PAIR_NAMES & named.keys() if names_a_secret(named[name])), "")
            return {
                self.text(str(name)): self.json_value(
                    one, told if told and plain_key(str(name)) in PAIR_VALUES else whose(str(name), key)
                )
                for name, one in value.items()
            }
        if isinstance(value, list | tuple):
            if value and all(isinstance(one, str) for one in value) and any(map(_is_of_a_command, value)):
                return self.arguments(list(value))
            if plain_key(key) in USER_AND_PASSWORD and len(value) == 2 and all(isinstance(one, str) for one in value):
                return [self.json_value(value[0], key), self.cell("password", value[1])]
            return [self.json_value(one, key) for one in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            said = self.value_under(key, str(value)) if kind_of_key(key) in ("serial", "person", "phone") else ""
            return value if said in ("", str(value)) else said
        return value

    def name(self, path: str) -> str:
        """A member's path. Where a secret stood in it, a tag keeps files apart that only their secrets told apart."""
        done = re.sub(r"[\x00-\x1f]", "_", self.text(path))
        if "[hidden-" not in done:
            return done
        tag = self._pseudonyms.of("name", path).removeprefix("name-")
        return str(Path(done).with_name(f"{tag}_{Path(done).name}"))

    def value_under(self, key: str, value: str) -> str:
        """A text that stands behind a key, of JSON, of an environment, of a table's column."""
        if is_secret(key, value):
            self._remember("named-secret", value)
            return self._hidden("named-secret")
        kind = kind_of_key(key)
        if kind is None or not may_stand_under(key, kind, value) or PSEUDONYM.fullmatch(value):
            return self.repeated(value)
        if plain_key(key) in TELLING_KEYS:
            self.learn(kind, value)
        self.counts[kind] += 1
        return self._pseudonyms.of(kind, value)

    def cell(self, kind: str, value: str) -> str:
        """What stands in a table instead of a value of a telling column."""
        if is_hidden(value) or PSEUDONYM.fullmatch(value):
            return value
        if kind not in KINDS:
            self._remember("named-secret", value)
            return self._hidden("named-secret")
        if not is_telling(value):
            return value
        self.counts[kind] += 1
        return self._pseudonyms.of(kind, value)

    def value_after(self, before: str, value: str, tool: str = "") -> str:
        """A word of a command: behind `--token` it is a secret, and of `mysql` the end of `-pPASSWORD`."""
        part = secret_options.in_word(tool, before, value)
        if part is None:
            return self.repeated(value)
        start, end = part
        self._remember("option", value[start:end])
        return value[:start] + self._hidden("option") + value[end:]

    def repeated(self, text: str) -> str:
        """As `text`, for what comes over and over: traces say a few thousand names a million times."""
        if text in self._cache:
            done, counts = self._cache[text]
            self.counts.update(counts)
            return done
        before = self.counts.copy()
        done = self.text(text)
        if len(self._cache) >= MOST_CACHED:
            self._cache.clear()
        self._cache[text] = done, self.counts - before
        return done

    def leaves_alone(self, text: str) -> bool:
        """Whether nothing in it is to be hidden; this is no replacement, and is not counted."""
        before = self.counts.copy()
        done = self.repeated(text)
        self.counts = before
        return done == text

    def _without_learned(self, text: str) -> str:
        pattern = standing_in(text, self._learned)
        if pattern is None:
            return text

        def replace(match: re.Match[str]) -> str:
            kind, instead = self._learned.get(match[0].lower()) or self._learned_in_other_letters(match[0])
            if kind == "person" and match[0].islower():  # Page is somebody, a page is not
                return match[0]
            self.counts[kind] += 1
            return instead

        return pattern.sub(replace, text)

    def _learned_in_other_letters(self, seen: str) -> tuple[str, str]:
        """Some letters are equal without case and differ in small letters: the two i of Turkish, the two s of Greek."""
        same = re.compile(re.escape(seen), re.IGNORECASE)
        return next(found for form, found in self._learned.items() if same.fullmatch(form))

    def _without_secrets(self, text: str) -> str:
        pieces, at = [], 0
        for secret in secrets_in(text):
            value = text[secret.start : secret.end]
            self._remember(secret.kind, value)
            pieces += [text[at : secret.start], self._hidden(secret.kind)]
            at = secret.end
        return "".join([*pieces, text[at:]])

    def _without_identities(self, text: str) -> str:
        pieces, at = [], 0
        for found in sorted(search_long(masked(text), find_identities), key=lambda one: (one.start, -one.end)):
            if found.end <= at or self._is_doubted(text, found):
                continue
            start = max(found.start, at)  # two that overlap: the rest of the second
            value = text[start : found.end]
            if found.kind == "mail" and (realm := value.rpartition("@")[2]).isupper():  # of Kerberos
                self.learn("host", realm)
            if found.kind == "mail":
                self._learn_site(value)
            if found.kind in ("mail", "person"):
                for login in likely_logins(re.split("@|%40", value)[0], text):
                    self.learn("user", login)
            if found.kind in ("mail", "uuid", "mac", "guid"):  # of a form that is nobody else's
                self._known.add(value)
            if found.kind == "user" or _BEHIND_A_MARK.search(text, max(0, start - 4), start):
                for part in parts_to_learn(found.kind, value):
                    if not is_used_as_a_word(part, text):
                        self.learn(found.kind, part)
            self.counts[found.kind] += 1
            pieces += [text[at:start], self._pseudonyms.of(found.kind, value)]
            at = found.end
        return "".join([*pieces, text[at:]])

    def _learn_site(self, mail: str) -> None:
        """What stands behind the @ is the name of a house, and of its machines: smtp.kumasi-grid.com.gh."""
        site = re.split("@|%40", mail)[-1].lower()
        if not is_public(site):
            self.learn("host", site)

    def _is_doubted(self, text: str, found: Identity) -> bool:
        """Told by a label alone, and read otherwise the second time."""
        if self._second is None or not self._second.doubts(text, found.start, found.end, found.kind):
            return False
        begin, end = text.rfind("\n", 0, found.start) + 1, text.find("\n", found.end)
        line = masked(text)[begin : len(text) if end < 0 else end]
        forms = find_identities(line, labels=False)
        return not any(one.start < found.end - begin and one.end > found.start - begin for one in forms)

    def _read_again(self, given: str, done: str) -> str:
        """Hide what the second reading finds in the text as it was given, where it still stands: on its line."""
        if self._second is None:
            return done
        before, lines = given.split("\n"), done.split("\n")
        places = range(len(lines)) if len(lines) == len(before) else _places(before, lines)
        at = number = 0
        for one in self._second.finds(given):
            number += given.count("\n", at, one.start)
            at, value, place = one.start, given[one.start : one.end], places[number]
            if place >= 0 and value in lines[place] and not is_hidden(value) and not _is_harmless(value, one, given):
                lines[place] = self._without_value(lines[place], value, one.kind)
        return "\n".join(lines)

    def _without_value(self, line: str, value: str, kind: str) -> str:
        kind = "context" if kind == "s" else "person" if value[0].isupper() else "user"
        found = re.compile(rf"{REPLACED.pattern}|(?<![^\W_])(?P<value>{re.escape(value)})(?![^\W_])")

        def replace(match: re.Match[str]) -> str:
            self.counts[kind] += match["value"] is not None
            return match[0] if match["value"] is None else self._instead(kind, value)

        return found.sub(replace, line)

    def _remember(self, kind: str, value: str) -> None:
        """For the scan; and, where only the context told, for every other place."""
        if len(value) < 8 and not (len(value) >= 6 and re.search(r"\d", value)):
            return  # a word as short as that would be found everywhere
        self._known.add(value)
        if kind in TOLD_BY_CONTEXT:
            self.learn(kind, value)
            first = _NEXT_FIELD.split(value, maxsplit=1)[0]  # Pwd=hunter22;Encrypt=yes
            if first != value:
                self._remember(kind, first)

    def _hidden(self, kind: str) -> str:
        self.counts[kind] += 1
        return f"[hidden-{kind}]"

    def _instead(self, kind: str, value: str) -> str:
        return self._pseudonyms.of(kind, value) if kind in KINDS else f"[hidden-{kind}]"


def _is_harmless(value: str, find: Find, text: str) -> bool:
    """A placeholder, a public site, a word for a secret, or words of a script whose passwords are typed otherwise."""
    if text[max(0, find.start - 1) : find.start] == "<" and _PLACEHOLDER.match(text, find.end):
        return True
    line = text[text.rfind("\n", 0, find.start) + 1 : find.start].lower()
    if ("public" in line and ("key" in line or "token" in line)) or value.lower() in SCHEMES:
        return True
    if find.kind == "p":
        one_case = value.isascii() and (value.islower() or value.isupper())
        return is_public(value) or (one_case and is_ordinary(value.lower()))
    if value.isalpha() and not speaks_of_a_password(line + text[find.end : find.end + 40].lower()):
        return True
    return names_a_secret(value) or not re.search(r"[A-Za-z0-9]", value)


def _places(before: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Where each line stands in the other text, from which a secret of several lines is gone; -1 if it changed."""
    gone, places, at = len(before) - len(lines), [], 0
    for number, line in enumerate(before):
        window = range(max(at, number - gone), min(number + 1, len(lines)))
        places.append(next((one for one in window if lines[one] == line), -1))
        at = max(at, places[-1] + 1)
    return places


def _is_of_a_command(word: str) -> bool:
    return secret_options.is_option(word) or bool(secret_options.tool_of(word))


def secrets_in(text: str) -> list[Secret]:
    """What is a secret still: not one that consists of what was put in its place."""
    blanked = masked(text)
    found = search_long(blanked, lambda part: merged([*find(part), *find_in_context(part)]))
    return [secret for secret in found if len(blanked[secret.start : secret.end].replace("\0", "")) >= SHORTEST_SECRET]


def masked(text: str) -> str:
    """The text with pseudonyms and hidden places blanked out, character for character."""
    if "[hidden-" not in text and not REPLACED_GLANCE.search(text):
        return text
    return REPLACED.sub(lambda match: "\0" * len(match[0]), text)
