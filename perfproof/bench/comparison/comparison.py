"""All processes measured in one arrangement, and what they say.

The value of a process is the ratio of total times. What switching between the sides may do to it widens the interval;
where the ratio of samples that follow their own kind is the narrower answer, that one is given.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from perfproof.bench.job import Job, Rung
from perfproof.bench.process import usual_sample
from perfproof.bench.record import ProcessRecord
from perfproof.core.units import percent
from perfproof.stats.carryover import CarryOver, carry_over_of
from perfproof.stats.quads import BASELINE, ProcessSummary, Quad, carry_over, corrected_value
from perfproof.stats.units import LEAST_UNITS, Figure, Interval, ProcessValue, couple_units, interval
from perfproof.stats.verdicts import systematic_band

CLOCKS_APART = 0.02
LONG_TIMES = 3  # a sample of so many times its side's median is one of those that take most of the time
TIMER_SECONDS = 100e-9  # two readings of the clock and a loop around the calls
BEGIN_SECONDS = 8e-6  # what the first call of a sample may take longer on a CPU: 4 to 8 µs on a Neoverse N1


@dataclass
class Comparison:
    """All processes measured in one arrangement, and what they say."""

    job: Job
    rung: Rung
    records: list[ProcessRecord] = field(default_factory=list)
    seconds: float = 0.0
    out_of_budget: bool = False
    preparing: float = 0.0  # seconds in which several processes were got ready together
    prepared: int = 0  # how many of them
    alone: bool = False  # has a launch one process, because calls or getting ready take seconds?
    why_apart: str = ""  # what the sides did to each other in a shared process, if that is why they were measured apart
    moved: float = 0.0  # what the sides may do to each other in a shared process: widens every interval
    _said: dict[tuple, Any] = field(default_factory=dict, repr=False)  # what each process says: it does not change

    @property
    def launches(self) -> int:
        return len({record.launch for record in self.records})

    @property
    def processes_each(self) -> int:
        """How many processes make a unit."""
        return 1 if self.alone else 2

    @property
    def couple_seconds(self) -> float:
        """What a couple takes, with its part of what getting processes ready together took."""
        timed = math.fsum(record.seconds for record in self.records) / max(1, len(self.records))
        return self.processes_each * (timed + self.preparing / max(1, self.prepared))

    @property
    def failed(self) -> bool:
        return any(check.result == "fail" for check in self.records[-1].checks)

    @property
    def one_launch(self) -> bool:
        return self.job.effort.launches == 1

    @property
    def level(self) -> float:
        return self.job.level

    @property
    def repeated(self) -> float:
        """Share of the calls that saw values that had come before."""
        return max((record.repeated for record in self.records), default=0.0)

    def invalid_share(self, kind: str) -> float:
        """Share of the samples of a comparison that independent evidence made invalid."""
        rows = [row["valid"] for record in self.records for row in record.rows if row["kind"] == kind]
        return rows.count(False) / len(rows) if rows else 0.0

    def values(
        self, kind: str, summarise: Callable[[Sequence[Quad]], ProcessSummary] = corrected_value
    ) -> list[ProcessValue]:
        found = []
        for record in self.records:
            said = self._once(record, kind, summarise)
            if said is not None:
                found.append(ProcessValue(record.launch, record.couple, record.slot, *said))
        return found

    def _once(self, record: ProcessRecord, kind: str, summarise: Callable) -> ProcessSummary | None:
        """Worked out once per process: launch after launch the same ones are asked again."""
        key = (id(record), kind, summarise)
        if key not in self._said:
            own = [quad for quad in record.quads if quad.kind == kind]
            self._said[key] = summarise(own) if own else None
        return self._said[key]

    def units(
        self,
        kind: str,
        of: Figure = "value",
        summarise: Callable[[Sequence[Quad]], ProcessSummary] = corrected_value,
    ) -> list[float]:
        return couple_units(self.values(kind, summarise), by="couple" if self.one_launch else "launch", of=of)

    def interval(self, kind: str) -> Interval | None:
        """As it is judged: less what switching does, and widened by what the sides may do to each other."""
        units = self.units(kind)
        return interval(units, self.level).widened(self.bias(kind)) if units else None

    def bias(self, kind: str) -> float:
        """What widens the interval of a variant: what the sides may do to each other, and samples of other lengths.

        A sample begins with colder caches than a call has inside a program. If one side's samples are shorter, that is
        more of them.
        """
        known = [one for one in self.records if one.sample_seconds and {BASELINE, kind} <= one.call_seconds.keys()]
        if self.job.device != "cpu" or not known:
            return self.moved
        per_sample = [
            median(1 / max(BEGIN_SECONDS, usual_sample(one, side)) for one in known) for side in (BASELINE, kind)
        ]
        return self.moved + BEGIN_SECONDS * abs(per_sample[0] - per_sample[1])

    def carry(self, kind: str) -> CarryOver:
        """D over couples: its two processes share a launch, and slots are balanced inside it."""
        found: dict[tuple[int, int], list[float]] = {}
        for record in self.records:
            key = (id(record), kind, carry_over)
            if key not in self._said:
                self._said[key] = carry_over(record.quads, kind)
            if (d := self._said[key]) is not None:
                found.setdefault((record.launch, record.couple), []).append(d)
        return carry_over_of([math.fsum(pair) / len(pair) for pair in found.values()])

    def clock_hz(self, side: str) -> float | None:
        """The device's clock in the samples of a side; None without a device."""
        own = [row["clock_hz"] for record in self.records for row in record.rows if row["side"] == side]
        known = [clock for clock in own if clock]
        return median(known) if known else None

    def in_cycles(self, kind: str) -> Interval | None:
        """The interval in cycles instead of seconds, where the sides ran at clocks that differ by more than 2 %."""
        a, b, found = self.clock_hz(BASELINE), self.clock_hz(kind), self.interval(kind)
        if a is None or b is None or found is None or abs(math.log(a / b)) <= CLOCKS_APART:
            return None
        moved = math.log(a / b)
        ends = {end: value + moved for end in ("low", "high") if (value := getattr(found, end)) is not None}
        return replace(found, theta=found.theta + moved, **ends)

    @property
    def band(self) -> float:
        """The systematic band: layout, and the timer's share of a sample."""
        seconds = min(
            (one.sample_seconds for one in self.records if one.sample_seconds), default=self.job.sample_seconds
        )
        shortest = min((min(one.call_seconds.values()) for one in self.records), default=seconds)
        tick = TIMER_SECONDS / max(seconds, shortest)
        return systematic_band(self.job.device, 1 if self.one_launch else self.launches, tick)

    def tail(self, kind: str) -> str:
        """Which calls take most of the time, of the side in which few calls take much of it."""
        found = []
        for side in (BASELINE, kind):
            rows = [row for record in self.records for row in record.rows if row["side"] == side and row["valid"]]
            if not rows:
                continue
            usual, total = median(row["seconds"] for row in rows), math.fsum(row["seconds"] for row in rows)
            long = [row["seconds"] for row in rows if row["seconds"] > LONG_TIMES * usual]
            found.append((math.fsum(long) / total, len(long) / len(rows), side))
        share, calls, side = max(found, default=(0.0, 0.0, ""))
        if not share:
            return ""
        return f"{percent(calls, 0)} of the samples of {side} take {percent(share, 0)} of its time"

    @property
    def complete(self) -> bool:
        """Are there as many launches as the effort asks for, or as the question needs?"""
        return self.launches >= self.job.effort.launches or (self.answered and self.launches >= LEAST_UNITS)

    @property
    def answered(self) -> bool:
        """Does the question behind the comparison need no more launches?"""
        answered = self.job.answered
        return answered is not None and all(
            answered(self.units(kind), self.band + self.moved) for kind in self.job.variants
        )
