"""Lines that hold nothing, told by their shape: a log says the same line a million times with other numbers."""

import re
from functools import lru_cache

MOST = 1 << 16
_DIGITS = str.maketrans("123456789", "0" * 9)
# Where the digits themselves decide: a long word may be random, a long number may be a card or an account
_WORDS = re.compile(r"[\w+/=-]{16,}")
_NUMBERS = re.compile(r"0(?:[0 -]{11,}0|0{6,})")  # every digit as 0
_DATES = {f"0000-00-00{mark}00:00:00": f"{chr(2) * 10}{mark}{chr(2) * 8}" for mark in " T"}  # of any day


class QuietLines:
    def __init__(self) -> None:
        self._shapes: set[str] = set()

    def shape(self, line: str) -> str:
        return _shape(line)

    def knows(self, shape: str) -> bool:
        return shape in self._shapes

    def learn(self, shape: str) -> None:
        if len(self._shapes) >= MOST:
            self._shapes.clear()
        self._shapes.add(shape)


@lru_cache(maxsize=MOST)
def _shape(line: str) -> str:
    """Equal for lines that differ in digits only, and not in digits that decide. One date is as good as another."""
    same = line.translate(_DIGITS)
    for date, blank in _DATES.items():
        if same.startswith(date):
            same = blank + same[len(date) :]
        elif date in same:
            same = re.sub(rf"(?<![\w+/=.-]){date}", blank, same)
    kept = _WORDS.findall(line) + [line[found.start() : found.end()] for found in _NUMBERS.finditer(same)]
    return "\1".join([same, *kept]) if kept else same
