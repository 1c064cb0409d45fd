"""A run held against the expectations of its machine kind: which targets are new, missing, the same, or flagged.

A flag asks for a paired run and is no verdict. Ratios are compared over machines; baseline times only on the same
fingerprint, and over the canary's, so that a slower day is not a slower program.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

from perfproof.core import units
from perfproof.core.documents import Run, TargetResult
from perfproof.core.environment import changed_fields, environment_fields
from perfproof.core.expectations import Day, Expectations
from perfproof.core.verification import NO_CANARY, Outcome, Screening
from perfproof.history.expectations import day_ratio, day_time, has_interval
from perfproof.stats.expectation import Measured, Screen, one_a_date, pooled_variance, screen

BASELINE = "baseline"
SHARED_SHARE, SHARED_TARGETS = 0.10, 3  # more flags in one direction than both: one cause is shared


@dataclass
class Screened:
    """One row of today's run; `outcome` may still change where it is flagged."""

    outcome: Outcome
    commit: str = ""  # of the newest qualified day: what a paired run is held against
    ratio_flagged: bool = False
    baseline_flagged: bool = False
    earlier: dict[str, str] = field(default_factory=dict)  # environment of that day

    @property
    def flagged(self) -> bool:
        return self.ratio_flagged or self.baseline_flagged

    @property
    def direction(self) -> int:
        seen = self.outcome.screening if self.ratio_flagged else self.outcome.baseline
        return 0 if seen is None else (1 if seen.difference > 0 else -1)


def screen_run(
    run: Run, folder: Path, expectations: Expectations, wanted: Sequence[str], canary: str | None
) -> list[Screened]:
    """One row for every variant of every wanted target."""
    prior = pooled_variance([_dated(days, variant) for days, variant in _all_series(expectations)])
    done = {target.target: target for target in run.targets}
    rows: list[Screened] = []
    for name in wanted:
        target = done.get(name)
        if target is None or target.status != "ok" or not target.ratios:
            rows.append(_without_result(name, target, expectations))
            continue
        rows += [_screen_variant(run, target, variant, expectations, prior) for variant in target.ratios]
        _screen_baseline(rows[-len(target.ratios)], run, folder, done, expectations, canary)
    return rows


def gate_sight(expectations: Expectations, name: str, variant: str) -> float | None:
    """The change that verify would flag in 9 of 10 runs, if the next run is as precise as the days; None: no days."""
    entry = expectations.targets.get(name)
    days = _dated([day for day in entry.days if day.qualified], variant) if entry else []
    if not days:
        return None
    prior = pooled_variance([_dated(own, other) for own, other in _all_series(expectations)])
    typical = Measured(days[-1].theta, fmean(day.error for day in days), max(2, days[-1].n))
    return screen(days, typical, prior).detectable


def shared_direction(rows: Sequence[Screened]) -> int:
    """1 or -1 where more than a tenth of the rows, and at least three, are flagged in that direction; else 0."""
    for direction in (-1, 1):
        count = sum(row.flagged and row.direction == direction for row in rows)
        if count >= SHARED_TARGETS and count > SHARED_SHARE * len(rows):
            return direction
    return 0


def usable_days(expectations: Expectations, target: TargetResult) -> list[Day]:
    """Qualified days of the same work; a day at other sizes says nothing about these."""
    entry = expectations.targets.get(target.target)
    return [day for day in entry.days if day.qualified and day.sizes == target.sizes] if entry else []


def _without_result(name: str, target: TargetResult | None, expectations: Expectations) -> Screened:
    status = target.status if target else ""
    reason = (target.reason or target.status) if target else "it is not among the targets of this run"
    entry = expectations.targets.get(name)
    known = entry is not None and any(day.qualified for day in entry.days)
    words = f"expected, but there is no result: {reason}" if known else f"no result and no expectation: {reason}"
    return Screened(Outcome(target=name, outcome="missing" if known else "new", reason=words, status=status))


def _screen_variant(run: Run, target: TargetResult, variant: str, expectations: Expectations, prior: float) -> Screened:
    days = [day for day in usable_days(expectations, target) if variant in day.ratios]
    outcome = Outcome(target=target.target, variant=variant, outcome="same", status=target.status)
    if not days:
        outcome.outcome = "new"
        entry = expectations.targets.get(target.target)
        outcome.reason = "no expectation of these sizes" if entry and entry.days else "no expectation yet"
        return Screened(outcome)
    found = Screened(outcome, days[-1].commit, earlier=expectations.environments.get(days[-1].run, {}))
    outcome.changed = changed_fields(found.earlier, environment_fields(run.machine)) if found.earlier else []
    judged, today = target.ratios[variant], day_ratio(target.ratios[variant])
    if today is None or not has_interval(today) or judged.verdict == "unstable":
        outcome.outcome = "inconclusive"
        outcome.reason = (
            f"{judged.note or 'no interval'}; today {units.ratio(judged.ratio)}, {_stored_text(days, variant)}"
        )
        return found
    known_machine = any(day.fingerprint == run.machine.get("fingerprint") for day in days)
    seen = screen(
        _dated(days, variant),
        Measured(today.theta, today.error, max(2, today.units)),
        prior,
        0.0 if known_machine else prior,
    )
    outcome.screening = _stored(seen)
    found.ratio_flagged = seen.flagged
    return found


def _stored_text(days: Sequence[Day], variant: str) -> str:
    """ "stored 1.41x": the middle of what the days had, for a reader and not for a verdict."""
    return f"stored {units.ratio(math.exp(median(day.ratios[variant].theta for day in days)))}"


def _screen_baseline(
    row: Screened,
    run: Run,
    folder: Path,
    done: dict[str, TargetResult],
    expectations: Expectations,
    canary: str | None,
) -> None:
    """The baseline's time over the canary's, against the same of the days on this fingerprint."""
    outcome = row.outcome
    target, guide = done[outcome.target], done.get(canary or "")
    if outcome.outcome == "new" or target.target == canary:
        return
    if canary is None or guide is None or guide.status != "ok" or not guide.ratios:
        outcome.baseline_check = NO_CANARY if canary is None else f"the canary {canary} has no result"
        return
    guides = {day.run: day for day in usable_days(expectations, guide)}
    here = [day for day in usable_days(expectations, target) if day.fingerprint == run.machine.get("fingerprint")]
    dated = [(day.date[:10], _over(day, guides[day.run])) for day in here if day.run in guides]
    known = [(date, one) for date, one in dated if one is not None]
    today = _over(_today(target, folder), _today(guide, folder))
    if today is None or not known:
        outcome.baseline_check = "no day on this machine has times of both with their spread"
        return
    seen = screen(one_a_date(known), today, pooled_variance([]))
    outcome.baseline = _stored(seen)
    row.baseline_flagged = seen.flagged


def _today(target: TargetResult, folder: Path) -> Day:
    time = day_time(folder, target, BASELINE)
    fields = {"run": "", "date": "", "commit": "", "fingerprint": "", "message": ""}
    return Day(**fields, qualified=True, times={BASELINE: time})


def _over(day: Day, guide: Day) -> Measured | None:
    """log(canary's time / baseline's time): below the expected is slower, as for ratios."""
    own, other = day.times.get(BASELINE), guide.times.get(BASELINE)
    if own is None or other is None or own.error is None or other.error is None:
        return None
    error = math.hypot(own.error, other.error)
    return Measured(math.log(other.seconds / own.seconds), error, min(own.units, other.units))


def _dated(days: Sequence[Day], variant: str) -> list[Measured]:
    return one_a_date(
        [
            (day.date[:10], Measured(one.theta, one.error, one.units))
            for day in days
            if (one := day.ratios.get(variant)) is not None
        ]
    )


def _all_series(expectations: Expectations) -> list[tuple[list[Day], str]]:
    return [
        ([day for day in entry.days if day.qualified], variant)
        for entry in expectations.targets.values()
        for variant in sorted({name for day in entry.days for name in day.ratios})
    ]


def _stored(seen: Screen) -> Screening:
    return Screening(
        expected=math.exp(seen.expected),
        today=math.exp(seen.expected + seen.difference),
        difference=seen.difference,
        standard_error=seen.error,
        limit=seen.limit,
        detectable=seen.detectable,
        between_days=seen.tau,
        days=seen.days,
        flagged=seen.flagged,
    )
