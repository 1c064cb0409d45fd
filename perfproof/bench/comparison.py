"""Measure a target until its intervals are narrow enough, judge it, and climb the ladder when switching is not fair.

The verdict comes from the rung that was used: plain alternation where it is unbiased, else with a lead-in, longer
samples, the ratio of samples that follow their own kind, or two processes in turn.
"""

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from statistics import median

from perfproof.bench.job import IN_TURN, LADDER, LEAD_IN, Job, Rung
from perfproof.bench.launches import Launch, Launches
from perfproof.bench.process import run_process
from perfproof.bench.process_record import ProcessRecord
from perfproof.bench.torchrun import start_torchrun
from perfproof.core.documents import RatioResult
from perfproof.stats.carryover import CarryOver, carry_over_test
from perfproof.stats.judgement import Judgement
from perfproof.stats.modes import rarest_mode_seen
from perfproof.stats.quads import BASELINE, TWIN, carry_over, process_value, stay_value
from perfproof.stats.stopping import enough, launches_needed, plan_line
from perfproof.stats.units import (
    LEAST_UNITS,
    Interval,
    ProcessValue,
    couple_units,
    interval,
    invalid_share,
    slot_effect,
)
from perfproof.stats.verdicts import judge, simultaneous_level, systematic_band, words

CLOCKS_APART = 0.02
ENDED_EARLY = "ended when its question was answered, for which this interval makes no allowance"
TIMER_SECONDS = 100e-9  # two readings of the clock and a loop around the calls

Notify = Callable[..., None]  # phase, share done, seconds left, and a line to print once


@dataclass
class Comparison:
    """All processes measured on one rung, and what they say."""

    job: Job
    rung: Rung
    records: list[ProcessRecord] = field(default_factory=list)
    seconds: float = 0.0
    out_of_budget: bool = False

    @property
    def launches(self) -> int:
        return len({record.launch for record in self.records})

    @property
    def failed(self) -> bool:
        return any(check.result == "fail" for check in self.records[-1].checks)

    @property
    def one_launch(self) -> bool:
        return self.job.effort.launches == 1

    @property
    def level(self) -> float:
        return simultaneous_level(variants=len(self.job.variants))

    def values(self, kind: str, stay: bool | None = None) -> list[ProcessValue]:
        summarise = stay_value if (self.rung.stay if stay is None else stay) else process_value
        found = []
        for record in self.records:
            own = [quad for quad in record.quads if quad.kind == kind]
            if own:
                summary = summarise(own)
                found.append(ProcessValue(record.launch, record.couple, record.slot, *summary))
        return found

    def units(self, kind: str, stay: bool | None = None) -> list[float]:
        return couple_units(self.values(kind, stay), by="couple" if self.one_launch else "launch")

    def interval(self, kind: str, stay: bool | None = None) -> Interval | None:
        units = self.units(kind, stay)
        return interval(units, self.level) if units else None

    def carry(self, kind: str) -> CarryOver:
        """D over couples: its two processes share a launch, and slots are balanced inside it."""
        found: dict[tuple[int, int], list[float]] = {}
        for record in self.records:
            d = carry_over(record.quads, kind)
            if d is not None:
                found.setdefault((record.launch, record.couple), []).append(d)
        units = self.units(kind)
        theta = math.fsum(units) / len(units) if units else 0.0
        return carry_over_test([math.fsum(pair) / len(pair) for pair in found.values()], theta)

    def clock_hz(self, side: str) -> float | None:
        """The device's clock in the samples of a side; None without a device."""
        own = [row["clock_hz"] for record in self.records for row in record.rows if row["side"] == side]
        known = [clock for clock in own if clock]
        return median(known) if known else None

    def in_cycles(self, kind: str) -> float | None:
        """theta in cycles instead of seconds, where the sides ran at clocks that differ by more than CLOCKS_APART."""
        a, b = self.clock_hz(BASELINE), self.clock_hz(kind)
        if a is None or b is None or abs(math.log(a / b)) <= CLOCKS_APART:
            return None
        units = self.units(kind)
        return math.fsum(units) / len(units) + math.log(a / b) if units else None

    @property
    def bare_band(self) -> float:
        """The systematic band before any carry-over: layout, and the timer's share of a sample."""
        tick = TIMER_SECONDS / self.job.sample_seconds(self.rung)
        return systematic_band(self.job.device, 1 if self.one_launch else self.launches, tick)

    def band(self, kind: str) -> float:
        """With what a switch costs the sides differently, where it was found: only samples that stay are free of it."""
        return self.bare_band + (0.0 if self.rung.stay else self.carry(kind).carry)


def measure(job: Job, rung: Rung, launches: Launches, notify: Notify) -> Comparison:
    """Couples of processes until the width is reached, the launches are used up, or the budget ends."""
    found = Comparison(job, rung)
    started = time.monotonic()
    effort = job.effort
    for number in range(effort.most_launches):
        with _launch(launches, job, number) as launch:
            for couple in range(effort.couples):
                order = (1, -1) if job.rng("order", number, couple).random() < 0.5 else (-1, 1)
                for slot in order:
                    first = not found.records
                    primed = None if first else found.records[0].primed
                    last = slot == order[-1] and couple == effort.couples - 1
                    ahead = functools.partial(_fork_ahead, launches, job, number + 1 if last else number)
                    found.records.append(
                        run_process(job, launch, rung, number, couple, slot, first=first, primed=primed, sampled=ahead)
                    )
                    if found.failed:
                        return found  # no number of it can be trusted: more of them help nobody
                found.seconds = time.monotonic() - started
                if len(found.records) == 2 and not found.one_launch:
                    notify(f"{rung.name}: planned", None, None, line=f"{job.target}: {_plan(found)}")
                _tell(found, notify)
                if _enough(found) or _spent(found):
                    return found
    return found


def _fork_ahead(launches: Launches, job: Job, number: int) -> None:
    if job.ranks == 1:  # ranks have a device each
        launches.fork_ahead(number)


def climb(job: Job, launches: Launches, notify: Notify) -> list[Comparison]:
    """Measure on the first rung that is fair to both sides; returns every rung measured, the judging one last."""
    if job.effort.new_interpreters or launches.apart:
        return [measure(job, IN_TURN, launches, notify)]
    measured: list[Comparison] = []
    for rung in LADDER:
        if measured and _no_longer(rung, measured[0]):
            continue
        found = measure(job, rung, launches, notify)
        if measured and found.out_of_budget and found.launches < LEAST_UNITS:
            measured[-1].out_of_budget = True  # a rung without an interval says less than the one below with its band
            break
        measured.append(found)
        if found.failed or found.out_of_budget or job.claim != "time" or not _disturbed(found):
            break  # where time is not the claim its band says what switching may have done
    return _own_leftovers(measured)


def _no_longer(rung: Rung, plain: Comparison) -> bool:
    """Are this rung's longer samples single calls again, as on the first one?"""
    longest = max(plain.records[0].call_seconds.values(), default=0.0)
    return rung.longer is not None and not rung.stay and rung.longer < 2 * longest


def verdict_of(found: Comparison, kind: str) -> RatioResult:
    """The stored result of one variant."""
    values, job = found.values(kind), found.job
    twin_units = found.units(TWIN)
    carry, beta = found.carry(kind), found.band(kind)
    judged = judge(
        found.units(kind),
        beta=beta,
        delta=job.delta,
        level=found.level,
        process_errors=[value.standard_error for value in values if not math.isnan(value.standard_error)],
        invalid_share=invalid_share(values),
        twin=interval(twin_units) if twin_units else None,
        twin_beta=found.bare_band,
        one_launch=found.one_launch,
    )
    if job.effort.new_interpreters and not judged.note:
        rarest = f"modes that fewer than {rarest_mode_seen(found.launches):.0%} of launches show would not be seen"
        judged = replace(judged, note=rarest)
    if job.answered is not None and found.launches < job.effort.launches and not found.out_of_budget:
        judged = replace(judged, note="; ".join(filter(None, (judged.note, ENDED_EARLY))))
    judged = _held_in_cycles(judged, found.in_cycles(kind))
    slot, _ = slot_effect(values)
    a_launch = found.seconds / max(1, found.launches)
    return RatioResult(
        **{**judged.fields(), "verdict": words(judged.verdict, "time")},
        launches=found.launches,
        processes=len(values),
        rung=found.rung.name,
        clock=job.clock,
        slot_effect=slot,
        carry_over=carry.d,
        quads=sum(value.total for value in values),
        invalid_quads=sum(value.total - value.valid for value in values),
        more_seconds=judged.more_launches * a_launch if judged.more_launches else None,
    )


def _held_in_cycles(judged: Judgement, theta: float | None) -> Judgement:
    """Where the sides ran at different clocks, a difference has to be one in cycles as well."""
    if theta is None or judged.verdict not in ("faster", "slower"):
        return judged
    if (theta > 0) == (judged.verdict == "faster"):
        return judged
    note = f"the sides ran at different clocks: {math.exp(theta):.3f}x in cycles, {judged.ratio:.3f}x in time"
    return replace(judged, verdict="unstable", note=note)


def seconds_a_call(found: Comparison, side: str) -> float:
    """Median over processes of the median sample: one process, one vote."""
    medians = []
    for record in found.records:
        own = [row["seconds"] for row in record.rows if row["side"] == side and row["valid"]]
        if own:
            medians.append(median(own))
    return median(medians) if medians else math.nan


def _own_leftovers(measured: list[Comparison]) -> list[Comparison]:
    """A lead-in hides what a side leaves behind for itself too: where it and the stay ratio disagree, stay is right."""
    last = measured[-1]
    if last.rung != LEAD_IN:
        return measured
    plain = measured[0]
    for kind in last.job.variants:
        lead, stay = last.interval(kind), plain.interval(kind, stay=True)
        if lead is None or stay is None or lead.half_width is None or stay.half_width is None:
            continue
        if abs(lead.theta - stay.theta) > lead.half_width + stay.half_width:
            return [*measured, Comparison(plain.job, LADDER[-1], plain.records, plain.seconds)]
    return measured


class _launch:
    """The warm parent of launch `number`, or an interpreter of its own that ends after its couple."""

    def __init__(self, launches: Launches, job: Job, number: int):
        self._own = job.effort.new_interpreters
        if self._own and job.ranks > 1:
            self._launch = start_torchrun(launches, job.ranks)
        else:
            self._launch = launches.new() if self._own else launches.get(number)

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
        return True  # whoever needs more has a larger effort
    if found.launches >= LEAST_UNITS and found.job.claim == "time" and _disturbed(found):
        return True  # the next rung judges
    return all(
        enough(found.units(kind), found.band(kind), found.job.delta, found.level, effort.launches, effort.most_launches)
        for kind in found.job.variants
    )


def _answered(found: Comparison) -> bool:
    """Has whoever asked for the comparison all that they need?"""
    job = found.job
    return job.answered is not None and all(job.answered(found.units(kind), found.band(kind)) for kind in job.variants)


def _disturbed(found: Comparison) -> bool:
    """Does switching sides disturb here, on a rung that is not the last?"""
    return found.rung in LADDER[:-1] and any(found.carry(kind).significant for kind in found.job.variants)


def _spent(found: Comparison) -> bool:
    """Would another couple end after the budget?"""
    a_couple = found.seconds / max(1, len(found.records) // 2)
    found.out_of_budget = time.monotonic() + a_couple > found.job.budget_end
    return found.out_of_budget


def _tell(found: Comparison, notify: Notify) -> None:
    effort = found.job.effort
    done = found.launches if effort.couples == 1 else len(found.records) // 2
    wanted = effort.launches * effort.couples
    if effort.couples == 1 and effort.launches < effort.most_launches and done >= LEAST_UNITS:
        needed = [
            launches_needed(_sd(found, kind), found.band(kind), found.job.delta, found.level)
            for kind in found.job.variants
        ]
        wanted = min(effort.most_launches, max(wanted, *(need or effort.most_launches for need in needed)))
    a_step = found.seconds / max(1, done)
    notify(f"{found.rung.name}: {done} of {wanted}", min(1.0, done / wanted), max(0.0, (wanted - done) * a_step))


def _plan(found: Comparison) -> str:
    """What the precision will cost, from the noise inside the first couple: launches may differ by more than that."""
    errors = [value.standard_error for kind in found.job.variants for value in found.values(kind)]
    sd = max((error for error in errors if not math.isnan(error)), default=0.0) / math.sqrt(2)
    band = systematic_band(found.job.device, found.job.effort.launches)
    line = plan_line(sd, band, found.job.delta, found.seconds, found.level)
    bound = "at most" if found.job.answered else "at least"
    return f"{line}; {bound} {found.job.effort.launches} are taken"


def _sd(found: Comparison, kind: str) -> float:
    estimate = found.interval(kind)
    return (estimate.sd or 0.0) if estimate else 0.0
