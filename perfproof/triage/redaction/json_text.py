"""Redact JSON without reading it into memory: only the texts in it are rewritten, every number stays as it was written.

Works piece by piece, so a trace of gigabytes passes; a file that is cut off or not quite JSON passes as well, redacted.
A trace says the same few thousand names over and over: a stretch is rewritten at one go unless a text in it decides on
what stands behind it.
"""

import json
import re

from perfproof.core.secret_options import in_word, is_option, tool_of
from perfproof.core.secrets import names_a_secret
from perfproof.triage.redaction.environment import JSON_KEYS, is_allowed
from perfproof.triage.redaction.json_syntax import BETWEEN, TEXT, WHOLE, decoded
from perfproof.triage.redaction.keys import (
    CONTAINERS,
    NOT_SECRET,
    PAIR_NAMES,
    PAIR_VALUES,
    USER_AND_PASSWORD,
    kind_of_key,
    plain_key,
    whose,
)
from perfproof.triage.redaction.prose import looks_like_password
from perfproof.triage.redaction.redactor import Redactor

TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]|[^"{}]+', re.DOTALL)
LONGEST_TEXT = 64 * 2**20
STRETCH = 1 << 16
MOST_HARMLESS = 200_000
LEFT_OUT = '"[left out: not an allowed variable]"'
NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.])")
NUMBERED = ("serial", "person", "phone")  # kinds whose values may be written as numbers


DECIDING = JSON_KEYS | CONTAINERS | USER_AND_PASSWORD


class JsonRewriter:
    """`rewriter.feed(piece)` until the end, then `rewriter.close()`; together they are the redacted text."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._rest, self._key, self._before = "", "", ""
        self._tool = ""  # that takes a password among its words
        self._depth = 0
        self._name = ""  # {"name": "DB_PASSWORD", "value": …}
        self._parents: list[str] = []  # the keys of the objects around
        self._texts = 0  # behind the key: of ["svc", …] the second is a password
        self._container_depth: int | None = None  # where an object of passwords was opened
        self._environment_depth: int | None = None  # where an object of variables was opened
        self._harmless: set[str] = set()
        self._lessons = redactor.lessons

    def feed(self, piece: str) -> str:
        step = STRETCH if len(self._rest) < STRETCH else len(piece)  # a text that goes on and on is not begun anew
        return "".join(self._stretch(piece[at : at + step]) for at in range(0, len(piece), step or 1))

    def close(self) -> str:
        done = self._stretch("", last=True)
        rest, self._rest = self._rest, ""
        if not rest.startswith('"'):
            return done + self._redactor.text(rest)
        return f'{done}"' + self._hidden(rest[1:])  # a text that is not closed: its key still tells what it is

    def _stretch(self, piece: str, last: bool = False) -> str:
        text = self._rest + piece
        begun, at = self._begun(text)
        done = [begun]
        while at < len(text):
            found = TOKEN.match(text, at)
            if found is None or (not last and found.end() == len(text)):  # a text that is not closed, or may go on
                break
            done.append(self._rewrite(found))
            at = found.end()
        self._rest = text[at:]
        if len(self._rest) > LONGEST_TEXT:
            raise ValueError("holds a text of more than 64 MiB")
        return "".join(done)

    def _begun(self, text: str) -> tuple[str, int]:
        """The beginning, rewritten at one go as far as no text in it depends on the one before; and where that ends."""
        if self._container_depth is not None or self._name:
            return "", 0
        if self._environment_depth is not None or _decides_on_others(self._key) or is_option(self._before):
            return "", 0
        if self._tool:
            return "", 0
        end = WHOLE.match(text).end()  # type: ignore[union-attr]  # it matches nothing at all, too
        if self._lessons != self._redactor.lessons or len(self._harmless) > MOST_HARMLESS:
            self._harmless.clear()
            self._lessons = self._redactor.lessons
        changed: set[str] = set()
        for one in set(TEXT.findall(text, 0, end)) - self._harmless:
            value = decoded(f'"{one}"')
            if _decides_on_others(value):
                return "", 0
            (self._harmless if self._redactor.leaves_alone(value) else changed).add(one)
        if end:
            self._key = self._before = ""
        return self._rewritten(text[:end], changed), end

    def _rewritten(self, text: str, changed: set[str]) -> str:
        if not changed:
            return text

        def replace(found: re.Match[str]) -> str:
            if found[1] not in changed:
                return found[0]
            value = decoded(found[0])
            return _written(found[0], value, self._redactor.repeated(value))

        return TEXT.sub(replace, text)

    def _rewrite(self, found: re.Match[str]) -> str:
        token = found[0]
        if found[1] is not None:
            return self._key_text(found) if found[2] is not None else self._value_text(token)
        if token == "{":
            if self._environment_depth is None and plain_key(self._key) in JSON_KEYS:
                self._environment_depth = self._depth
            if self._container_depth is None and plain_key(self._key) in CONTAINERS:
                self._container_depth = self._depth
            self._depth += 1
            self._parents.append(self._key)
            self._name = ""
        elif token == "}":
            self._depth -= 1
            self._parents[-1:] = []
            if self._environment_depth == self._depth:
                self._environment_depth = None
            if self._container_depth == self._depth:
                self._container_depth = None
            self._key = self._tool = self._name = ""
        elif kind_of_key(self._key) in NUMBERED:
            return NUMBER.sub(self._number, token)
        elif not BETWEEN.fullmatch(token):  # no JSON: what a tool said instead
            return self._redactor.text(token)
        if "]" in token:
            self._tool = ""
        return token

    def _key_text(self, found: re.Match[str]) -> str:
        self._key, self._before, self._tool, self._texts = decoded(f'"{found[1]}"'), "", "", 0
        return _written(f'"{found[1]}"', self._key, self._redactor.repeated(self._key)) + found[2]

    def _number(self, found: re.Match[str]) -> str:
        new = self._redactor.value_under(self._key, found[0])
        return found[0] if new == found[0] else json.dumps(new)

    def _value_text(self, token: str) -> str:
        if self._environment_depth is not None and not is_allowed(self._key):
            self._redactor.environment({self._key: decoded(token)})
            return LEFT_OUT
        value = decoded(token)
        new = self._hidden(value)
        self._before, self._tool = value, tool_of(value) or self._tool
        self._texts += 1
        if plain_key(self._key) in PAIR_NAMES:
            self._name = value if names_a_secret(value) else ""
        return _written(token, value, new)

    def _hidden(self, value: str) -> str:
        if in_word(self._tool, self._before, value):
            return self._redactor.value_after(self._before, value, self._tool)
        plain = plain_key(self._key)
        if self._name and plain in PAIR_VALUES:
            return self._redactor.value_under(self._name, value)
        second = self._texts > 0 and plain in USER_AND_PASSWORD
        held = self._container_depth is not None and plain not in NOT_SECRET
        if (second or held) and looks_like_password(value, weak=False):
            return self._redactor.cell("password", value)
        return self._redactor.value_under(whose(self._key, self._parents[-1] if self._parents else ""), value)


def _decides_on_others(text: str) -> bool:
    """Whether what stands behind it, as behind a key or an option, is to be looked at in that light."""
    if kind_of_key(text) or plain_key(text) in DECIDING or names_a_secret(text):
        return True
    return is_option(text) or bool(tool_of(text))


def _written(token: str, old: str, new: str) -> str:
    return token if new == old else json.dumps(new)
