"""Measure a target until its intervals are narrow enough, and judge it.

The value of a process is the ratio of total times. What switching between the sides may do to it widens the interval;
where the ratio of samples that follow their own kind is the narrower answer, that one is given.
"""

import contextlib
import functools
import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from perfproof.bench.job import IN_TURN, PLAIN, Job, Rung
from perfproof.bench.launches import Launch, Launches
from perfproof.bench.preparation import SLOW_START_SECONDS, Prepared, at_once, begin, wait
from perfproof.bench.process import run_process, usual_sample
from perfproof.bench.ranks.torchrun import start_torchrun
from perfproof.bench.record import ProcessRecord
from perfproof.core.documents import CORRECTED, RatioResult
from perfproof.core.errors import WorkerTimeout
from perfproof.core.units import percent, ratio
from perfproof.stats.carryover import CarryOver, carry_over_of
from perfproof.stats.judgement import Judgement
from perfproof.stats.modes import rarest_mode_seen
from perfproof.stats.quads import (
    BASELINE,
    TWIN,
    ProcessSummary,
    Quad,
    carry_over,
    corrected_value,
    process_value,
    value_with_left_out,
)
from perfproof.stats.stopping import enough, launches_needed
from perfproof.stats.units import (
    LEAST_UNITS,
    Figure,
    Interval,
    ProcessValue,
    couple_units,
    interval,
    slot_effect,
)
from perfproof.stats.verdicts import judge, systematic_band, words

CLOCKS_APART = 0.02
ISOLATED_LAUNCHES = 5
MOST_REPEATED = 0.05  # of the calls may see values that came before
LONG_TIMES = 3  # a sample of so many times its side's median is one of those that take most of the time
OFTEN_DISTURBED_SECONDS = 3e-3  # of a call: systems take a core away for other work after about as long
BUSY_LOAD = "the machine was busy with other work; stop it, or measure when it is quiet"
APART_TIMES = 1.6  # allowed for a launch whose sides have processes of their own: each of them loads and warms up
TIMER_SECONDS = 100e-9  # two readings of the clock and a loop around the calls
BEGIN_SECONDS = 8e-6  # what the first call of a sample may take longer on a CPU: 4 to 8 µs on a Neoverse N1

Notify = Callable[..., None]  # phase, share done, seconds left, and a line to print once


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


def measure(job: Job, rung: Rung, launches: Launches, notify: Notify) -> Comparison:
    """Couples of processes until the width is reached, the launches are used up, or the budget ends."""
    found, started = Comparison(job, rung, alone=job.is_slow), time.monotonic()
    ready: dict[Step, Prepared] = {}
    with contextlib.ExitStack() as stack:
        stack.callback(_close, ready)
        for number in range(job.effort.most_launches):
            with _launch(launches, job, number) as launch:
                for step in _steps(found, number):
                    try:
                        _measure_process(found, launches, launch, step, ready)
                    except WorkerTimeout:
                        if not (found.alone and found.records):
                            raise
                        found.out_of_budget = True  # one process more did not fit: what there is counts
                        return found
                    if found.failed:
                        return found  # no number of it can be trusted
                    found.seconds = time.monotonic() - started
                    next_is_ready = any(one in ready for one in _after(found, step)[:1])
                    if (step.ends_couple or found.alone) and _has_enough(found, notify, next_is_ready):
                        return found
                    if found.alone:
                        break
    return found


def _measure_process(
    found: Comparison, launches: Launches, launch: Launch, step: "Step", ready: "dict[Step, Prepared]"
) -> None:
    """Measure one process. Others may be got ready together with it."""
    following = [step, *_after(found, step)]
    if step not in ready:
        ready.update(_prepare(found, launches, following))
    where = (found.job, launch, found.rung, step.number, step.couple, step.slot)
    found.records.append(
        run_process(
            *where,
            before=found.records[0] if found.records else None,
            isolation=step.isolation,
            sampled=functools.partial(_fork_ahead, launches, found.job, following[1:2], ready),
            prepared=ready.pop(step, None),
        )
    )
    launches.no_room = found.records[0].room < 1
    starts_slowly = found.records[0].ready_seconds > SLOW_START_SECONDS
    if len(found.records) == 1 and starts_slowly and found.job.may_have_one_process:
        found.alone = True  # there is time for one process per launch
        found.job = replace(found.job, budget_end=max(found.job.budget_end, found.job.slow_end))


def _has_enough(found: Comparison, notify: Notify, next_is_ready: bool) -> bool:
    """After a couple: say how far it is, and whether another one is needed."""
    if len(found.records) == found.processes_each:
        notify("measuring", None, None, line=f"{found.job.target}: {_plan(found)}")
    _tell(found, notify)
    return _enough(found) or _spent(found, next_is_ready)


@dataclass(frozen=True)
class Step:
    """A process of a comparison."""

    number: int  # of its launch
    couple: int
    slot: int
    isolation: bool
    ends_couple: bool


def _steps(found: Comparison, number: int) -> list[Step]:
    """The processes of a launch, in their order."""
    job, effort, steps = found.job, found.job.effort, []
    isolated = not (found.rung.isolated or effort.launches == 1) and number < ISOLATED_LAUNCHES
    if found.alone:  # the slots alternate from launch to launch
        slot = _first_slot(job, 0, 0) * (-1) ** number
        return [Step(number, 0, slot, isolated, ends_couple=True)]
    for couple in range(effort.couples):
        first = _first_slot(job, number, couple)
        last = couple == effort.couples - 1
        steps += [Step(number, couple, first, False, False), Step(number, couple, -first, isolated and last, True)]
    return steps


def _first_slot(job: Job, number: int, couple: int) -> int:
    return 1 if job.rng("order", number, couple).random() < 0.5 else -1


def _after(found: Comparison, step: Step) -> list[Step]:
    """What comes after a process, if nothing ends the comparison."""
    own = [] if found.alone else _steps(found, step.number)
    later = (_steps(found, number) for number in range(step.number + 1, found.job.effort.most_launches))
    return [*own[own.index(step) + 1 if own else 0 :], *itertools.chain.from_iterable(later)]


def _prepare(found: Comparison, launches: Launches, steps: list[Step]) -> dict[Step, Prepared]:
    """Get the next processes ready, together if that takes long; none where they do it one after the other."""
    job = found.job
    if not found.records:
        return {}
    first = found.records[0]
    wanted = [step for step in steps if step.number < job.effort.launches] or steps[:2]
    count = at_once(job, found.rung, first, len(wanted))
    if count == 1:
        return {}
    begun: dict[Step, Prepared] = {}
    started = time.monotonic()
    try:
        for step in wanted[:count]:
            where = (launches.get(step.number), found.rung, step.number, step.couple, step.slot)
            begun[step] = begin(job, *where, first, step.isolation, beside=True)
        for one in begun.values():
            wait(job, one, first, beside=True)
    except BaseException:
        for one in begun.values():
            one.abandon()
        raise
    found.preparing += time.monotonic() - started
    found.prepared += len(begun)
    return begun


def _close(processes: dict[Step, Prepared]) -> None:
    for one in processes.values():
        one.stack.close()


def arrangement(job: Job, launches: Launches) -> Rung:
    """Both sides in one process; each in its own for a final run, where they cannot share an interpreter, and where
    calls take seconds, if there is memory for it: then no call is needed to show that they leave each other alone.
    """
    sides = 1 + len(job.variants)
    apart = job.effort.new_interpreters or launches.apart or (job.is_slow and job.room >= sides)
    return IN_TURN if apart else PLAIN


def _fork_ahead(launches: Launches, job: Job, following: list[Step], ready: dict[Step, Prepared]) -> None:
    for step in following:
        if step not in ready and job.ranks == 1 and not launches.no_room:  # ranks have a device each
            launches.fork_ahead(step.number)


def verdict_of(found: Comparison, kind: str) -> RatioResult:
    """The stored result of one variant; its two times divide to its ratio."""
    job = found.job
    values, twin_units = found.values(kind), found.units(TWIN)
    judged = judge(
        found.units(kind),
        beta=found.band,
        delta=job.delta,
        level=found.level,
        process_errors=[value.standard_error for value in values if not math.isnan(value.standard_error)],
        invalid_share=found.invalid_share(kind),
        twin=interval(twin_units) if twin_units else None,
        one_launch=found.one_launch,
        bias=found.bias(kind),
        typical=found.units(kind, of="typical"),
        with_left_out=_with_left_out(found, kind),
        tail=found.tail(kind),
        load=_load(found),
    )
    judged = _with_hint(judged, found, kind)
    judged = _held_in_cycles(judged, found.in_cycles(kind))
    judged = _without_verdict(judged, found)
    if job.effort.new_interpreters and not judged.note:
        rarest = f"modes that fewer than {rarest_mode_seen(found.launches):.0%} of launches show would not be seen"
        judged = replace(judged, note=rarest)
    slot, _ = slot_effect(values)
    per_launch = found.seconds / max(1, found.launches)
    return RatioResult(
        **{**judged.fields(), "verdict": words(judged.verdict, "time")},
        **_two_times(found.units(kind, of="baseline"), judged.ratio),
        launches=found.launches,
        processes=len(values),
        rung=CORRECTED[found.rung.name],
        clock=job.clock,
        slot_effect=slot,
        carry_over=found.carry(kind).d,
        quads=sum(value.total for value in values),
        invalid_quads=sum(value.total - value.valid for value in values),
        more_seconds=judged.more_launches * per_launch if judged.more_launches else None,
    )


def _with_left_out(found: Comparison, kind: str) -> list[float]:
    """The judged units, moved by what the disturbed samples would move the totals by."""
    left_out = found.units(kind, summarise=value_with_left_out)
    judged, totals = found.units(kind), found.units(kind, summarise=process_value)
    if not len(left_out) == len(judged) == len(totals):
        return []
    return [one + moved - total for one, moved, total in zip(judged, left_out, totals, strict=True)]


def _with_hint(judged: Judgement, found: Comparison, kind: str) -> Judgement:
    """If the machine was too busy for a ratio, what CPU times say: less than a verdict, and more than nothing."""
    units = found.units(kind, summarise=value_with_left_out) if judged.ratio is None else []
    if not units:
        return judged
    hint = f"by CPU time, which other work does not take, it is about {ratio(math.exp(math.fsum(units) / len(units)))}"
    longest = max(seconds for record in found.records for seconds in record.call_seconds.values())
    shorter = "; shorter calls, with fewer items, are disturbed less" if longest > OFTEN_DISTURBED_SECONDS else ""
    return replace(judged, note=f"{judged.note}; {hint}, a hint only{shorter}")


def _two_times(log_baseline: list[float], ratio: float | None) -> dict[str, float]:
    """Geometric means over the same launches of the same sums."""
    if not log_baseline or ratio is None:
        return {}
    baseline = math.exp(math.fsum(log_baseline) / len(log_baseline))
    return {"baseline": baseline, "variant": baseline / ratio}


def _without_verdict(judged: Judgement, found: Comparison) -> Judgement:
    """Too few launches, or calls that saw values again: the number is shown, and no verdict."""
    job, why = found.job, ""
    if not complete(found):
        asked = f"{job.effort.launches} launches of --effort {job.effort.name}"
        why = f"{found.launches} of the {asked} measured: raise --budget or --timeout"
    if found.repeated > MOST_REPEATED:
        seen = f"{percent(found.repeated, 0)} of the calls saw values that had come before"
        why = f"{seen}: let `inputs` draw from more values"
    if not why:
        return judged
    return replace(judged, verdict="indicative", size=None, note="; ".join(filter(None, (why, judged.note))))


def complete(found: Comparison) -> bool:
    """Are there as many launches as the effort asks for, or as the question needs?"""
    return found.launches >= found.job.effort.launches or (_answered(found) and found.launches >= LEAST_UNITS)


def can_repeat(found: Comparison) -> bool:
    """Is there time for as many launches once more, with a process for each side?"""
    return time.monotonic() + APART_TIMES * found.seconds < found.job.budget_end


def _load(found: Comparison) -> str:
    """Were most of the samples that were left out preempted?"""
    left_out = [row["disturbed"] for record in found.records for row in record.rows if not row["valid"]]
    return BUSY_LOAD if left_out.count("preempted") * 2 > len(left_out) else ""


def _held_in_cycles(judged: Judgement, cycles: Interval | None) -> Judgement:
    """Where the sides ran at different clocks, the interval in cycles has to clear the band on the same side too."""
    if cycles is None or judged.verdict not in ("faster", "slower") or cycles.low is None or cycles.high is None:
        return judged
    beta = judged.beta or 0.0
    if cycles.low > beta if judged.verdict == "faster" else cycles.high < -beta:
        return judged
    note = f"the sides ran at different clocks: {math.exp(cycles.theta):.3f}x in cycles, {judged.ratio:.3f}x in time"
    return replace(judged, verdict="unstable", note=note)


class _launch:
    """The warm parent of launch `number`, or an interpreter of its own that ends after its couple."""

    def __init__(self, launches: Launches, job: Job, number: int):
        self._own = job.effort.new_interpreters
        if self._own and job.ranks > 1 and not launches.apart:
            self._launch = start_torchrun(launches, job.ranks)
        else:
            self._launch = launches.new() if self._own else launches.get(number)
        if not self._own and number + 1 < job.effort.most_launches:
            launches.begin(number + 2)  # the next one starts while this one prepares

    def __enter__(self) -> Launch:
        return self._launch

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._launch.close()


def _enough(found: Comparison) -> bool:
    if found.one_launch:
        return False  # a fixed number of couples
    effort = found.job.effort
    if _answered(found):
        return True
    if found.launches >= effort.launches and found.seconds > effort.patience:
        return True  # more is what a larger effort is for
    return all(
        enough(
            found.units(kind),
            found.band + found.moved,
            found.job.delta,
            found.level,
            effort.launches,
            effort.most_launches,
        )
        for kind in found.job.variants
    )


def _answered(found: Comparison) -> bool:
    """Does the question behind the comparison need no more launches?"""
    job = found.job
    return job.answered is not None and all(
        job.answered(found.units(kind), found.band + found.moved) for kind in job.variants
    )


def _spent(found: Comparison, next_is_ready: bool = False) -> bool:
    """Would another couple end after the budget? One that is ready takes as long as the last one took to be timed."""
    a_couple = found.couple_seconds
    if next_is_ready:
        a_couple = math.fsum(record.seconds for record in found.records[-found.processes_each :])
    found.out_of_budget = time.monotonic() + a_couple > found.job.budget_end
    return found.out_of_budget


def _tell(found: Comparison, notify: Notify) -> None:
    effort = found.job.effort
    done = found.launches if effort.couples == 1 else len(found.records) // 2
    wanted = effort.launches * effort.couples
    if effort.couples == 1 and effort.launches < effort.most_launches and done >= LEAST_UNITS:
        needed = [
            launches_needed(_sd(found, kind), found.band + found.moved, found.job.delta, found.level)
            for kind in found.job.variants
        ]
        wanted = min(effort.most_launches, max(wanted, *(need or effort.most_launches for need in needed)))
    left, so_far = max(0.0, (wanted - done) * found.couple_seconds), _ratio_so_far(found)
    said = f", {ratio(so_far)} so far" if so_far else ""
    notify(f"measuring {done} of {wanted}{said}", min(1.0, done / wanted), left, ratio=so_far)


def _ratio_so_far(found: Comparison) -> float | None:
    """The interim ratio of the first variant, or None until two processes have been measured."""
    units = found.units(next(iter(found.job.variants)))
    return math.exp(math.fsum(units) / len(units)) if units else None


def _plan(found: Comparison) -> str:
    """How long it takes, from the first couple and the noise inside it: launches may differ by more than that."""
    effort, couple = found.job.effort, found.couple_seconds
    errors = [value.standard_error for kind in found.job.variants for value in found.values(kind)]
    sd = max((error for error in errors if not math.isnan(error)), default=0.0) / math.sqrt(2)
    needed = launches_needed(sd, systematic_band(found.job.device, effort.launches), found.job.delta, found.level)
    launches = min(effort.most_launches, max(effort.launches, needed or effort.most_launches))
    least = effort.launches * effort.couples * couple
    seconds = max(least, min(launches * effort.couples * couple, effort.patience))
    seconds = min(seconds, max(couple, found.job.budget_end - time.monotonic() + found.seconds))
    about = f"about {seconds:.0f} s" if seconds < 120 else f"about {seconds / 60:.0f} min"
    return f"each side in processes of its own, {about}" if found.rung.isolated else f"{effort.name} effort, {about}"


def _sd(found: Comparison, kind: str) -> float:
    estimate = found.interval(kind)
    return (estimate.sd or 0.0) if estimate else 0.0
