"""One rank's trace with its steady steps: what lies in them, and where a row is.

What a step is, perfproof.profile.steps decides. The first and the last are dropped; of one or two, all are taken.
Without marks, steps are what repeats (perfproof.profile.repeats). The program's start is left out in any case.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Any

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import ABSENT, DEVICE_WORK, Events, Kind
from perfproof.profile.device_steps import steps_of
from perfproof.profile.host_names import STARTING_CALL, is_compiling
from perfproof.profile.idle_causes import named
from perfproof.profile.intervals import Interval, difference, intersection, total, union
from perfproof.profile.nsys_tables import IN_GRAPHS
from perfproof.profile.steps import Steps

NOTHING_REPEATS = "the whole trace: no range marks steps, and nothing in it repeats"
SHORT_START = 1.5  # typical steps: less before the steady ones is no start-up
HARDLY = 0.10  # of the busiest device's time: with less a device is no place where a step is spent
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
    numbers: tuple[int, ...] = ()  # of the steady steps, where the ranges have them; ranks are matched by them
    startup_ns: int = 0  # before the steady time, left out; 0 if the recording began later

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

    @cached_property
    def busy_ns(self) -> dict[int, int]:
        """How long each of them worked in the window."""
        spans: dict[int, list[Interval]] = {device: [] for device in self.devices}
        for row in self.rows(*DEVICE_WORK):
            spans[self.events.device[row]].append((self.events.start_ns[row], self.events.end_ns[row]))
        return {device: total(intersection(union(own), self.window)) for device, own in spans.items()}

    @cached_property
    def used_devices(self) -> list[int]:
        """Those that do the step's work, so that their idle time is lost: without the ones that are hardly used."""
        least = HARDLY * max(self.busy_ns.values(), default=0)
        return [device for device in self.devices if self.busy_ns[device] >= least]

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

    def alone(self, rows: Sequence[int]) -> list[Interval]:
        """What these kernels cover with no other kernel of their devices beside them: the rest is hidden already."""
        own, devices = set(rows), {self.events.device[row] for row in rows}
        kernels = self.events.where(Kind.KERNEL)  # one that began before the steady time may reach into it
        others = [row for row in kernels if row not in own and self.events.device[row] in devices]
        return difference(self.covered(rows), self.covered(others))

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
    found = steps_of(events, rank)
    first, last = min(events.start_ns[row] for row in rows), max(events.end_ns[row] for row in rows)
    if not found.steady:
        begin = _started(events, first, last)
        return Trace(events, rank, source, ((begin, last),), 0, NOTHING_REPEATS, startup_ns=begin - first)
    steady = tuple((step.start_ns, step.end_ns) for step in found.steady)
    numbers = tuple(step.number for step in found.steady)
    told = ABSENT not in numbers and len(set(numbers)) == len(numbers)
    before = _before_steady(found, first)
    return Trace(events, rank, source, steady, found.found, found.source, numbers if told else (), before)


def _before_steady(found: Steps, first_ns: int) -> int:
    """How long the program's start took. One ordinary step before the steady ones is none."""
    before = found.steady[0].start_ns - first_ns
    typical = median(step.end_ns - step.start_ns for step in found.steady)
    return before if before > SHORT_START * typical else 0


def _started(events: Events, first: int, last: int) -> int:
    """Where nothing repeats: the first work of a device, and the end of what a program does once early after it."""
    once = named(events, STARTING_CALL, events.where(Kind.RUNTIME))
    compiling = {place for place, name in enumerate(events.names) if is_compiling(name)}
    once += [row for row in events.where(Kind.RANGE, Kind.OPERATOR) if events.name_id[row] in compiling]
    begin = min((events.start_ns[row] for row in events.where(*DEVICE_WORK)), default=first)
    ends = [events.end_ns[row] for row in once if begin < events.end_ns[row] <= (begin + last) // 2]
    return max(ends, default=begin)


def unseen_in_graphs(rule: str, traces: Iterable[Trace]) -> Abstained | None:
    """For a rule that has seen nothing: where graphs were traced as a whole, it cannot say that nothing is there."""
    why = next((trace.events.unknown[IN_GRAPHS] for trace in traces if IN_GRAPHS in trace.events.unknown), None)
    return Abstained(rule=rule, missing=f"{IN_GRAPHS}: {why}") if why else None


def over_the_same_steps(traces: Sequence[Trace]) -> list[Trace]:
    """Each with only those of its steady steps that all have, by number; as they are where there are none of these."""
    common = set.intersection(*(set(trace.numbers) for trace in traces)) if traces else set()
    return [_only(trace, common) for trace in traces] if common else list(traces)


def _only(trace: Trace, numbers: set[int]) -> Trace:
    kept = [place for place, number in enumerate(trace.numbers) if number in numbers]
    if len(kept) == len(trace.steps):
        return trace
    steps, own = tuple(trace.steps[place] for place in kept), tuple(trace.numbers[place] for place in kept)
    source = f"{trace.step_source}, those that every rank recorded"
    return replace(trace, steps=steps, numbers=own, step_source=source)
