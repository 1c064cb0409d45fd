"""Lines that are worth a closer look, and the rules that are worth trying in them.

A log says the same line a million times with other numbers, and most lines hold no word that any rule needs.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeVar

MOST = 1 << 16
LONGEST_LINE = 20_000  # a longer one is data, and no sentence or command
_DIGITS = str.maketrans("123456789", "0" * 9)
# Where the digits themselves decide: a long word may be random, a long number may be a card or an account
_WORDS = re.compile(r"(?<![\w+/=-])[\w+/=-]{16,}+")
_NUMBERS = re.compile(r"0(?:[0 -]{11,}0|0{6,})")  # every digit as 0
_DATES = {f"0000-00-00{mark}00:00:00": f"{chr(2) * 10}{mark}{chr(2) * 8}" for mark in " T"}  # of any day
Found = TypeVar("Found")


class Hints:
    """Per rule the words (in small letters) of which a line must hold one; "" is in every line. A rule is a bit."""

    def __init__(self, rules: Sequence[Iterable[str]]) -> None:
        self._always = 0
        by_hint: dict[str, int] = {}
        for number, hints in enumerate(rules):
            for hint in hints:
                if hint:
                    by_hint[hint] = by_hint.get(hint, 0) | 1 << number
                else:
                    self._always |= 1 << number
        self._by_hint = tuple(by_hint.items())

    def rules_for(self, lines: Sequence[str]) -> list[int]:
        """The rules to try in each line. One search over all lines is faster than one per line."""
        chosen = [self._always] * len(lines)
        low = [line.lower() for line in lines]
        text, ends = "".join(low), list(accumulate(map(len, low)))
        for hint, rules in self._by_hint:
            at = text.find(hint)
            while at >= 0:
                line = bisect_right(ends, at)
                chosen[line] |= rules
                at = text.find(hint, ends[line])
        return chosen


class QuietLines:
    """Remembers the shapes of lines in which nothing was found."""

    def __init__(self, hints: Hints) -> None:
        self._hints = hints
        self._shapes: set[str] = set()

    def search(self, text: str, search: Callable[[str, int], Iterable[Found]]) -> Iterator[tuple[int, Found]]:
        """Where a line starts, and what is found in it with the rules that are worth trying."""
        lines = [line for line in _lines(text) if line[2] not in self._shapes]
        first: dict[str, str] = {}
        for _, line, shape in lines:
            first.setdefault(shape, line)
        rules = dict(zip(first, self._hints.rules_for(list(first.values())), strict=True))
        for start, line, shape in lines:
            if shape in self._shapes:
                continue
            same = line is first[shape]
            found = list(search(line, rules[shape] if same else self._hints.rules_for([line])[0]))
            if not found:
                self._learn(shape)
            yield from ((start, one) for one in found)

    def _learn(self, shape: str) -> None:
        if len(self._shapes) >= MOST:
            self._shapes.clear()
        self._shapes.add(shape)


@lru_cache(maxsize=4)  # several searches go over one text
def _lines(text: str) -> tuple[tuple[int, str, str], ...]:
    """Where each line starts, the line and its shape."""
    at, found = 0, []
    for line in text.splitlines(keepends=True):
        if 5 < len(line) <= LONGEST_LINE:
            found.append((at, line, shape_of(line)))
        at += len(line)
    return tuple(found)


@lru_cache(maxsize=MOST)
def shape_of(line: str) -> str:
    """Equal for lines that differ in digits only, and not in digits that decide. One date is as good as another."""
    same = line.translate(_DIGITS)
    for date, blank in _DATES.items():
        if same.startswith(date):
            same = blank + same[len(date) :]
        elif date in same:
            same = re.sub(rf"(?<![\w+/=.-]){date}", blank, same)
    kept = _WORDS.findall(line) + [line[found.start() : found.end()] for found in _NUMBERS.finditer(same)]
    return "\1".join([same, *kept]) if kept else same
