"""Search a long text faster: a line that repeats an earlier one but for its digits is left out.

If something is found in the earlier line, its repeats are put back with their neighbours and the search runs once more.
Numbers whose digits decide what they are (addresses, cards, accounts, long words) are never taken for a repeat.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Protocol, Self, TypeVar

LONG = 1 << 15  # characters; a shorter text is searched as it is
_GAP = "\n\n\n\n"  # no rule reaches over so many empty lines
BESIDE = 3  # lines before and behind one that is put back
MOST_KEPT = 0.7  # of the lines; if more are left, the whole text is searched
_DIGITS = re.compile(r"[0-9]+")
# What a line holds that may say what stands below it: the name of a secret, the head of a table or of a section
_SAYING = ("pass", "pw", "psk", "pin", "secret", "token", "cred", "key", "auth", "login", "begin")  # small letters
_HEADS = ("USER", "HOST", "NODE", "SERIAL", "OWNER")
_SAYING_ENDS = (":", "=", "|", ">", "\\", "]")
# Where the digits themselves decide: an IP address, a MAC address or a GUID, a card, an account.
_DECIDING = re.compile(
    r"[0-9]+(?:\.[0-9]+){3}|[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}:"
    r"|[0-9]{4}[ -][0-9]{4}[0-9 -]+|[A-Z]{2}[0-9]{2} ?[A-Z0-9]{4}[A-Z0-9 ]+"
)


class _Place(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def _replace(self, *, start: int, end: int) -> Self: ...


Place = TypeVar("Place", bound=_Place)


def search_long(text: str, search: Callable[[str], Iterable[Place]]) -> list[Place]:
    """What `search` finds in the text."""
    if len(text) < LONG:
        return list(search(text))
    lines = text.splitlines(keepends=True)
    shapes = _shapes(lines)
    if max(shapes) > MOST_KEPT * len(lines):
        return list(search(text))
    kept = _first_of_their_kind(lines, shapes)
    if len(kept) > MOST_KEPT * len(lines):
        return list(search(text))
    found = _search_lines(lines, kept, search)
    telling = {shapes[line] for _, first, last in found for line in range(first, last + 1)}
    again = [line for line, shape in enumerate(shapes) if shape in telling and line not in kept]
    if again:
        for line in again:
            kept.update(range(max(0, line - BESIDE), min(len(lines), line + BESIDE + 1)))
        found = _search_lines(lines, kept, search)
    return [place for place, _, _ in found]


def _shapes(lines: list[str]) -> list[int]:
    """A number per line, equal for lines that differ only in digits that decide nothing."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(_shape(line), len(numbers)) for line in lines]


def _first_of_their_kind(lines: list[str], shapes: list[int]) -> set[int]:
    """Lines that repeat no earlier one. A line that may say what stands below it is kept with that line."""
    kept: set[int] = set()
    seen: set[tuple[int, int]] = set()
    says: dict[int, bool] = {}
    last = -BESIDE - 1  # the last line that may say something
    for line, shape in enumerate(shapes):
        near = line - last <= BESIDE
        pair = (shapes[last] if near else -1, shape)
        if pair not in seen:
            seen.add(pair)
            kept.update(range(last if near else line, line + 1))
            if shape not in says:
                says[shape] = _says(lines[line])
        if says[shape]:
            last = line
    return kept


def _says(line: str) -> bool:
    low = line.lower()
    return (
        any(word in low for word in _SAYING)
        or any(word in line for word in _HEADS)
        or low.rstrip().endswith(_SAYING_ENDS)
    )


@lru_cache(maxsize=1 << 16)
def _shape(line: str) -> str:
    deciding = _DECIDING.findall(line)
    same = _DIGITS.sub("0", line)
    return "\1".join([same, *deciding]) if deciding else same


def _search_lines(
    lines: list[str], kept: set[int], search: Callable[[str], Iterable[Place]]
) -> list[tuple[Place, int, int]]:
    """Each place with its first and its last line. A place ends at the latest where lines were left out."""
    parts: list[str] = []
    begins: list[int] = []  # of every kept line in the shortened text
    origins: list[int] = []  # and in the whole text
    numbers = sorted(kept)
    at = size = 0
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for before, number in zip([-1, *numbers], numbers, strict=False):
        if number != before + 1:
            parts.append(_GAP)
            size += len(_GAP)
        begins.append(size)
        origins.append(starts[number])
        parts.append(lines[number])
        size += len(lines[number])
    found = []
    for place in search("".join(parts)):
        first = max(0, bisect_right(begins, place.start) - 1)
        last = first
        while last + 1 < len(begins) and begins[last + 1] < place.end and numbers[last + 1] == numbers[last] + 1:
            last += 1
        start = origins[first] + place.start - begins[first]
        at = min(place.end - begins[last], len(lines[numbers[last]]))
        moved = place._replace(start=start, end=origins[last] + at)
        if moved.start < moved.end:
            found.append((moved, numbers[first], numbers[last]))
    return found
