"""The steps of a program: ranges that repeat, by the names that profilers and people give them."""

import re
from collections import defaultdict

from perfproof.core.events import ABSENT, Events, Kind
from perfproof.profile.intervals import Interval

PROFILER = "ProfilerStep"  # torch.profiler.schedule names them so
NUMBER = re.compile(r"[\s#:=_-]*\d+$")
SPOKEN = re.compile(r"(?:^|[\s_.:/-])(?:step|iteration|iter)$", re.IGNORECASE)
HOW_TO_MARK = "no range marks the steps; use torch.profiler's schedule and step(), or record_function('step')"


def unnumbered(name: str) -> str:
    return NUMBER.sub("", name) or name


def is_step(name: str) -> bool:
    """Whether a range of this name is one: ProfilerStep#12, step, train_step 3, iteration=7."""
    bare = unnumbered(name)
    return bare == PROFILER or SPOKEN.search(bare) is not None


def steps_of(events: Events, rank: int = ABSENT) -> list[Interval]:
    """The steps of one rank (the first, unless told) by time; nested and overlapping ones are left out."""
    found: dict[tuple[int, str], list[Interval]] = defaultdict(list)
    wanted = {place for place, name in enumerate(events.names) if is_step(name)}
    for row in events.where(Kind.RANGE):
        if events.name_id[row] in wanted and rank in (ABSENT, events.rank[row]):
            bare = unnumbered(events.name(row))
            found[events.rank[row], bare].append((events.start_ns[row], events.end_ns[row]))
    if not found:
        return []
    first = min(rank for rank, _ in found)
    own = {name: steps for (rank, name), steps in found.items() if rank == first}
    return _apart(own.get(PROFILER) or max(own.values(), key=len))


def _apart(steps: list[Interval]) -> list[Interval]:
    apart: list[Interval] = []
    for start, end in sorted(steps, key=lambda step: (step[0], -step[1])):
        if end > start and (not apart or start >= apart[-1][1]):
            apart.append((start, end))
    return apart
