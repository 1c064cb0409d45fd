"""One rank's trace with its steady steps: which ranges are steps, what lies in them, what a row belongs to.

A step lasts from its start to the start of the next, so that what happens between two ranges (waiting for the next
batch) is in it. The first and the last step are dropped; of one or two, all are taken and it is said.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from perfproof.core.events import ABSENT, DEVICE_WORK, Events, Kind
from perfproof.profile.intervals import Interval, intersection, total, union

TORCH_STEP = re.compile(r"ProfilerStep#\d+")
STEADY = re.compile("perfproof_steady")  # what `perfproof profile` puts around a pair's calls
LOADER = re.compile(r"enumerate\(DataLoader\)#.*__next__")
OPTIMIZER = re.compile(r"Optimizer\.step#.*")
NAMED_STEP = re.compile(r"(\w+[ _-])?(step|iter|iteration|batch)[ _#:-]*\d*", re.IGNORECASE)
ENOUGH = 3  # steps of which the first and the last can be spared
TIMED = (*DEVICE_WORK, Kind.RUNTIME, Kind.OPERATOR, Kind.RANGE, Kind.PYTHON, Kind.SYNC)


@dataclass(frozen=True, eq=False)
class Trace:
    """What one rank did; equal to itself only, so that what is found out about it can be kept."""

    events: Events
    rank: int  # ABSENT where there is only one and it does not say
    source: str  # the file's name
    steps: tuple[Interval, ...]  # the steady ones
    found: int  # steps in the file
    step_source: str

    @property
    def label(self) -> str:
        return f"rank {self.rank}" if self.rank != ABSENT else self.source

    @cached_property
    def window(self) -> list[Interval]:
        """The steady time: a union of intervals."""
        return union(self.steps)

    @cached_property
    def window_ns(self) -> int:
        return total(self.window)

    @property
    def step_ns(self) -> float:
        """The mean length of a steady step."""
        return self.window_ns / len(self.steps) if self.steps else 0.0

    @cached_property
    def devices(self) -> list[int]:
        """Those with work in the window."""
        return sorted({self.events.device[row] for row in self.rows(*DEVICE_WORK)})

    def rows(self, *kinds: Kind) -> list[int]:
        """The rows of these kinds that begin in the window, by their start."""
        wanted = frozenset(kinds)
        if wanted not in self._sorted:
            rows = [row for kind in wanted for row in self._steady_rows.get(kind, ())]
            rows.sort(key=lambda row: (self.events.start_ns[row], self.events.end_ns[row]))
            self._sorted[wanted] = rows
        return self._sorted[wanted]

    @cached_property
    def _sorted(self) -> dict[frozenset[Kind], list[int]]:
        """What was asked for before: rules ask for the same kinds."""
        return {}

    @cached_property
    def _steady_rows(self) -> dict[int, list[int]]:
        """By kind; looked for once, as a trace may have millions."""
        starts, kinds = self.events.start_ns, self.events.kind
        found: dict[int, list[int]] = defaultdict(list)
        for begin, end in self.window:
            for row, start in enumerate(starts):
                if begin <= start < end:
                    found[kinds[row]].append(row)
        return found

    def covered(self, rows: Iterable[int]) -> list[Interval]:
        """What these rows cover of the window."""
        spans = union((self.events.start_ns[row], self.events.end_ns[row]) for row in rows)
        return intersection(spans, self.window)

    def share(self, nanoseconds: float) -> float:
        """Of the steady time; never above 1."""
        return min(1.0, max(0.0, nanoseconds / self.window_ns)) if self.window_ns else 0.0

    def args(self, row: int) -> dict[str, Any]:
        """Of a row; as many rows have the same ones, each is read once."""
        place = self.events.args_id[row]
        if place not in self._args:
            self._args[place] = self.events.args_of(row)
        return self._args[place]

    @cached_property
    def _args(self) -> dict[int, dict[str, Any]]:
        return {}

    def place(self, row: int) -> str:
        """Where a row is, for a person who opens the trace."""
        return self.moment(self.events.start_ns[row])

    def moment(self, time_ns: int) -> str:
        return f"{self.label}, {(time_ns - self._first_ns) / 1e6:.3f} ms from the trace's start"

    @cached_property
    def _first_ns(self) -> int:
        return min(self.events.start_ns)


def trace_of(events: Events, source: str, rank: int = ABSENT) -> Trace | None:
    """None where the table has no rows with times."""
    rows = events.where(*TIMED)
    if not rows:
        return None
    ranges, said = _step_ranges(events)
    if not ranges:
        whole = (min(events.start_ns[row] for row in rows), max(events.end_ns[row] for row in rows))
        return Trace(events, rank, source, (whole,), 0, "the whole trace: it has no ranges that mark steps")
    return Trace(events, rank, source, _steady(ranges), len(ranges), said)


def _steady(ranges: list[Interval]) -> tuple[Interval, ...]:
    periods = [(one[0], following[0]) for one, following in pairwise(ranges)]
    if len(ranges) < ENOUGH:
        return (*periods, ranges[-1])
    return tuple(periods[1:])


def _step_ranges(events: Events) -> tuple[list[Interval], str]:
    """Torch's own marks; else ranges that are called a step; else what a loop does once a turn."""
    rows = events.where(Kind.RANGE)
    marked = _intervals(events, [row for row in rows if TORCH_STEP.fullmatch(events.name(row))])
    if marked:
        return marked, "ProfilerStep ranges"
    named, said = _named_steps(events, rows)
    if named:
        return named, said
    steady = _intervals(events, [row for row in rows if STEADY.fullmatch(events.name(row))])
    if steady:
        return [_from_first_work(events, steady[-1])], "the steady calls of a pair, taken as one step"
    for mark, what in ((LOADER, "from one DataLoader batch to the next"), (OPTIMIZER, "optimizer step to step")):
        turns = _intervals(events, [row for row in rows if mark.fullmatch(events.name(row))])
        if len(turns) >= ENOUGH:
            return turns, what
    return [], ""


def _from_first_work(events: Events, span: Interval) -> Interval:
    """Without what the profiler itself needs when it is started inside the range."""
    begun = [events.start_ns[row] for row in events.where(Kind.OPERATOR, Kind.RUNTIME, *DEVICE_WORK)]
    return min((start for start in begun if span[0] <= start < span[1]), default=span[0]), span[1]


def _named_steps(events: Events, rows: list[int]) -> tuple[list[Interval], str]:
    """The family of ranges called a step (`step 3`, `train_step`) that covers the most time."""
    families: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        if NAMED_STEP.fullmatch(events.name(row)):
            families[re.sub(r"\d+", "", events.name(row)).rstrip(" _#:-")].append(row)
    if not families:
        return [], ""
    name = max(families, key=lambda each: total(_intervals(events, families[each])))
    return _intervals(events, families[name]), f"ranges called {name!r}"


def _intervals(events: Events, rows: list[int]) -> list[Interval]:
    """By start, those inside another left out (a range is written once for each thread that sees it)."""
    kept: list[Interval] = []
    for start, minus_end in sorted((events.start_ns[row], -events.end_ns[row]) for row in rows):
        if not kept or -minus_end > kept[-1][1]:
            kept.append((start, -minus_end))
    return kept
