"""JSON too large to hold: the members of the outermost object, and the elements of one of its arrays, one at a time.

Profilers write JSON that is not quite JSON: control characters inside strings are taken as they are, a comma too many
is skipped, an element that is broken is left out and counted. A file that ends before its array does is refused: events
are not in the order of time, so nobody knows what the missing part held.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

PIECE = 4 * 2**20
LONGEST = 64 * 2**20  # of one value, in characters
TAIL = 16  # a literal cut off by the end of a piece is shorter: -Infinity

BLANK = re.compile(r"[ \t\n\r]*")
BETWEEN = re.compile(r"[ \t\n\r,]*")
NEXT_ELEMENT = re.compile(r'\}\s*,\s*(?=\{\s*"(?:ph|name|cat|pid|tid|ts)")')


class BrokenJson(ValueError):
    """What is wrong, in words that follow the file's name."""


class StreamedJson:
    """`for key, value in StreamedJson(file, "traceEvents")`: of that array, a pair for each element."""

    def __init__(self, file: BinaryIO, array: str, piece: int = PIECE) -> None:
        self.left_out = 0
        self._file, self._array, self._piece = file, array, piece
        self._bytes = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._decode = json.JSONDecoder(strict=False).raw_decode
        self._text, self._at, self._ended = "", 0, False
        self._before = 0  # characters read and dropped

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        opening = self._peek(BLANK).lstrip("\ufeff")
        if not opening:  # a byte order mark
            self._at += 1
            opening = self._peek(BLANK)
        if opening == "[":
            self._at += 1
            yield from ((self._array, element) for element in self._elements())
        elif opening == "{":
            self._at += 1
            yield from self._members()
        else:
            raise BrokenJson("does not begin as JSON does, with { or [")
        self._end()

    def _members(self) -> Iterator[tuple[str, Any]]:
        while self._peek(BETWEEN) != "}":
            key = self._value()
            if not isinstance(key, str) or self._peek(BLANK) != ":":
                raise BrokenJson(f"is not valid JSON at character {self._where()}")
            self._at += 1
            if key == self._array and self._peek(BLANK) == "[":
                self._at += 1
                yield from ((key, element) for element in self._elements())
            else:
                self._peek(BLANK)
                yield key, self._value()
        self._at += 1

    def _elements(self) -> Iterator[Any]:
        while self._peek(BETWEEN) != "]":
            try:
                value = self._value()
            except _Damaged:
                self._skip_to_next_element()
            else:
                yield value
        self._at += 1

    def _peek(self, blank: re.Pattern[str]) -> str:
        """The next character that is not blank; the place moves there."""
        while True:
            self._at = blank.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches nothing, too
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                raise BrokenJson("is cut off: it ends before its JSON does; copy or record it again")

    def _end(self) -> None:
        """Nothing but blanks may follow: after a broken element the end of the array may have been taken wrongly."""
        try:
            self._peek(BLANK)
        except BrokenJson:
            return
        raise BrokenJson(f"goes on after its end, at character {self._where()}; it is damaged before")

    def _value(self) -> Any:
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.pos >= len(self._text) - TAIL or error.msg.startswith("Unterminated")
                if not cut or len(self._text) - self._at > LONGEST:
                    raise _Damaged(f"is not valid JSON at character {self._before + error.pos}: {error.msg}") from None
            except (ValueError, RecursionError):  # a number of thousands of digits; nested thousands deep
                raise _Damaged(f"holds a value that cannot be read at character {self._where()}") from None
            else:
                # A number at the end of a piece may go on in the next: 12 of 123, or 0 of 0.5 with its point left over.
                if end + TAIL < len(self._text) or self._ended or not isinstance(value, int | float):
                    self._at = end
                    return value
            if not self._more():
                raise BrokenJson("is cut off: it ends in the middle of a value; copy or record it again")

    def _skip_to_next_element(self) -> None:
        self.left_out += 1
        self._at += 1
        while not (found := NEXT_ELEMENT.search(self._text, self._at)):
            self._at = max(self._at, len(self._text) - 1024)  # the pattern may lie across two pieces
            if not self._more():
                raise BrokenJson(f"is not valid JSON from character {self._where()} on")
        self._at = found.end()

    def _more(self) -> bool:
        """Read on; what has been used is dropped."""
        piece = b"" if self._ended else self._file.read(self._piece)
        if not piece and self._ended:
            return False
        self._ended = not piece
        self._before += self._at
        self._text = self._text[self._at :] + self._bytes.decode(piece, final=not piece)
        self._at = 0
        return True

    def _where(self) -> int:
        return self._before + self._at


class _Damaged(BrokenJson):
    """Among elements it is left out; elsewhere the file is refused."""
