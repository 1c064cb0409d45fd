"""Sums of gaps, for tests that hold them against figures worked out elsewhere."""

from collections import Counter
from collections.abc import Iterable

from perfproof.profile.breakdown import Gap


def idle_by_cause(found: Iterable[Gap]) -> dict[str, int]:
    """Nanoseconds of each cause."""
    sums: Counter[str] = Counter()
    for gap in found:
        sums[gap.cause] += gap.end_ns - gap.start_ns
    return dict(sums)
