"""Arithmetic of intervals: pairs (start, end) of whole numbers, the end not included.

A *union* is sorted, and its parts neither touch nor overlap; every function here gives one, and those that take two
expect two.
"""

from bisect import bisect_left
from collections.abc import Iterable

Interval = tuple[int, int]


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """What at least one of them covers. Empty and reversed ones cover nothing."""
    merged: list[Interval] = []
    for start, end in sorted(one for one in intervals if one[0] < one[1]):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def intersection(first: list[Interval], second: list[Interval]) -> list[Interval]:
    """What both cover."""
    common: list[Interval] = []
    if not first or not second:
        return common
    one, other = _before(first, second[0][0]), _before(second, first[0][0])
    while one < len(first) and other < len(second):
        start, end = max(first[one][0], second[other][0]), min(first[one][1], second[other][1])
        if start < end:
            common.append((start, end))
        if first[one][1] < second[other][1]:
            one += 1
        else:
            other += 1
    return common


def _before(union: list[Interval], moment: int) -> int:
    """Where to begin: the last interval that starts before a moment may reach over it."""
    return max(0, bisect_left(union, (moment, moment)) - 1)


def gaps(covered: list[Interval], within: Interval) -> list[Interval]:
    """What of `within` is not covered."""
    free, at = [], within[0]
    for start, end in clip(covered, within):
        if at < start:
            free.append((at, start))
        at = end
    if at < within[1]:
        free.append((at, within[1]))
    return free


def difference(first: list[Interval], second: list[Interval]) -> list[Interval]:
    """What the first covers and the second does not."""
    if not first:
        return []
    return intersection(first, gaps(second, (first[0][0], first[-1][1])))


def clip(intervals: list[Interval], within: Interval) -> list[Interval]:
    return intersection(intervals, [within] if within[0] < within[1] else [])


def total(intervals: Iterable[Interval]) -> int:
    return sum(end - start for start, end in intervals)


def span(intervals: list[Interval]) -> Interval:
    """From the first start to the last end of a union; (0, 0) of nothing."""
    return (intervals[0][0], intervals[-1][1]) if intervals else (0, 0)
