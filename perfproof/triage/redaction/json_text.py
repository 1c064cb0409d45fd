"""Redact JSON without reading it into memory: only the texts in it are rewritten, every number stays as it was written.

Works piece by piece, so a trace of gigabytes passes; a file that is cut off or not quite JSON passes as well, redacted.
"""

import json
import re
from typing import TYPE_CHECKING

from perfproof.triage.redaction.environment import JSON_KEYS, is_allowed
from perfproof.triage.redaction.identities import kind_of_key, plain_key

if TYPE_CHECKING:
    from perfproof.triage.redaction.redactor import Redactor

TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]|[^"{}]+', re.DOTALL)
LONGEST_TEXT = 64 * 2**20
LEFT_OUT = '"[left out: not an allowed variable]"'
SERIAL = re.compile(r"(?<![\w.])\d{6,}(?![\w.])")


class JsonRewriter:
    """`rewriter.feed(piece)` until the end, then `rewriter.close()`; together they are the redacted text."""

    def __init__(self, redactor: "Redactor") -> None:
        self._redactor = redactor
        self._rest, self._key, self._before = "", "", ""
        self._depth = 0
        self._environment_depth: int | None = None  # where an object of variables was opened

    def feed(self, piece: str, last: bool = False) -> str:
        text, done, at = self._rest + piece, [], 0
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

    def close(self) -> str:
        done = self.feed("", last=True)
        rest, self._rest = self._rest, ""
        return done + self._redactor.text(rest)

    def _rewrite(self, found: re.Match[str]) -> str:
        token = found[0]
        if found[1] is not None:
            return self._key_text(found) if found[2] is not None else self._value_text(token)
        if token == "{":
            if self._environment_depth is None and plain_key(self._key) in JSON_KEYS:
                self._environment_depth = self._depth
            self._depth += 1
        elif token == "}":
            self._depth -= 1
            if self._environment_depth == self._depth:
                self._environment_depth = None
            self._key = ""
        elif kind_of_key(self._key) == "serial":
            return SERIAL.sub(lambda number: f'"{self._redactor.value_under("serial", number[0])}"', token)
        return token

    def _key_text(self, found: re.Match[str]) -> str:
        self._key, self._before = _decoded(f'"{found[1]}"'), ""
        return _written(f'"{found[1]}"', self._key, self._redactor.repeated(self._key)) + found[2]

    def _value_text(self, token: str) -> str:
        if self._environment_depth is not None and not is_allowed(self._key):
            self._redactor.environment({self._key: _decoded(token)})
            return LEFT_OUT
        value, before = _decoded(token), self._before
        self._before = value
        new = self._redactor.value_under(self._key, value)
        return _written(token, value, self._redactor.value_after(before, value) if new == value else new)


def _decoded(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        return str(json.loads(token, strict=False))
    except ValueError:  # an escape that is none: taken as it stands
        return token[1:-1]


def _written(token: str, old: str, new: str) -> str:
    return token if new == old else json.dumps(new)
