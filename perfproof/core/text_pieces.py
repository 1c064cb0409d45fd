"""A long text in pieces, and a short way to those that are worth a closer look.

Most lines of a log hold nothing of what is looked for. A plain search for a word that must be there runs over the whole
text at once, a hundred times faster than one expression after another over every line.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

LONG_LINE = 4096  # JSON without line breaks is taken object by object
_OTHER_CASES = "\u0130\u0131\u017f\u212a"  # letters that expressions take for i, s and k if they ignore case
_SEAM = re.compile(r"(?<=\}),")


class Pieces:
    """Lines; a very long one is cut where an object of JSON ends. `low` is the text in small letters, as long as it."""

    def __init__(self, text: str) -> None:
        self.text, self.low = text, _small(text)
        self._pieces: list[tuple[int, str]] = []
        self._starts: list[int] = []

    def hold_any(self, words: Iterable[str]) -> bool:
        low = self.low
        for word in words:  # noqa: SIM110  # twice as fast as any(...), a million times
            if word in low:
                return True
        return False

    def with_any(self, words: Iterable[str]) -> Iterator[tuple[int, str]]:
        """Where each piece starts that holds one of the words (in small letters), and the piece."""
        chosen: set[int] = set()
        for word in words:
            at = self.low.find(word)
            while at >= 0:
                number, at = self._piece_at(at)
                chosen.add(number)
                at = self.low.find(word, at)
        for number in sorted(chosen):
            yield self._pieces[number]

    def where(self, glance: re.Pattern[str]) -> Iterator[tuple[int, str]]:
        """The pieces in which the expression matches; it is fast if it begins with a plain character."""
        at = 0
        while found := glance.search(self.text, at):
            number, at = self._piece_at(found.start())
            yield self._pieces[number]

    def _piece_at(self, position: int) -> tuple[int, int]:
        """The number of the piece, and where the next one starts."""
        if not self._pieces:
            self._pieces = list(_cut(self.text))
            self._starts = [start for start, _ in self._pieces]
        number = bisect_right(self._starts, position) - 1
        last = number + 1 == len(self._starts)
        return number, len(self.text) if last else self._starts[number + 1]


def find_from(head: re.Pattern[str], pattern: re.Pattern[str], text: str, low: str) -> Iterator[re.Match[str]]:
    """As pattern.finditer(text), if `head` matches in small letters wherever the pattern can begin.

    An expression that ignores case is slow to search for; its head in small letters is not.
    """
    if len(low) != len(text) or any(letter in text for letter in _OTHER_CASES):
        yield from pattern.finditer(text)
        return
    at = 0
    while begun := head.search(low, at):
        found = pattern.match(text, begun.start())
        at = begun.start() + 1
        if found:
            yield found
            at = max(at, found.end())


def _small(text: str) -> str:
    """In small letters, character for character: a few letters become two."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(one.lower()[:1] or one for one in text)


def _cut(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.splitlines(keepends=True):
        pieces = _SEAM.split(line) if len(line) > LONG_LINE else [line]
        for piece in pieces:
            yield start, piece
            start += len(piece) + 1
        start -= 1  # the last piece has no comma behind it
