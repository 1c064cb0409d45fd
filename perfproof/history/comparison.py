"""Two saved runs, target by target: how the speed-up and the variant's time changed, with intervals over launches.

Speed-ups were each measured inside one run, so what a day does to a machine is not in them. Times are compared only on
one fingerprint, and what a day does to them is in their error: as far as the canary moved, or as days are taken to
differ. A target that failed, or is in one run only, stays in the count and withholds the geometric mean.
"""

import math
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.environment import changed_fields, environment_fields, in_one_line
from perfproof.core.errors import DocumentError, NothingMatched, UsageError
from perfproof.core.natural_order import natural_order
from perfproof.core.options import RunOptions
from perfproof.core.other_work import PRINTS, is_other_work
from perfproof.core.ratio_figures import seconds_of
from perfproof.core.run_comparison import Change, ComparedRow, RunComparison, SuiteMean, Verdict
from perfproof.history.causes import causes, causes_of_runs, clean_commits
from perfproof.history.expectations import day_ratio, has_interval
from perfproof.history.folders import list_runs, load_run
from perfproof.history.launch_times import log_times, mean_and_error
from perfproof.stats.expectation import PRIOR_TAU
from perfproof.stats.multiple import benjamini_hochberg, holm, one_sided_p, two_sided_p
from perfproof.stats.student import two_sided
from perfproof.stats.suite import Estimate, Mean, difference, this_suite, workload_like_these
from perfproof.stats.units import LEVEL

Judged = Literal["speed-up", "time"]
SMALL = RunOptions.delta  # a difference below does not matter
BETWEEN_DAYS = math.sqrt(2) * PRIOR_TAU  # two runs, each with what its own day does to a time
FEW = "fewer than five launches in one of the runs: measure both with --effort standard"
NO_SAMPLES = "one of the runs has no samples in its folder"
OF_PROGRAMS = "times of programs are compared within a run only; `perfproof ab A B` measures two programs side by side"


@dataclass(frozen=True)
class Saved:
    run: Run
    folder: Path


def compare_runs(a: Saved, b: Saved, judged: Judged, canary: str | None, across: bool) -> RunComparison:
    differing = refuse_unlike(a.run, b.run, judged, across)
    found = RunComparison(a=a.run.run, b=b.run.run, judged=judged, differing=differing, canary=canary)
    pairs = _matched(a.run, b.run)
    if all(None in both for both in pairs.values()):
        raise NothingMatched(f"{a.run.run} and {b.run.run} have no target in common: nothing can be compared")
    for name, (before, after) in pairs.items():
        found.rows += _rows(name, before, after, a, b, times=not differing)
    found.shared = _shared(found, canary)
    _add_means(found, canary)
    _add_days(found)
    _mark(found)
    return found


def last_two(artifacts_dir: str) -> tuple[Saved, Saved]:
    """The newest run with a result, and the newest before it that measured one of the same targets.

    One on the same kind of machine comes first, and only finished runs count: the dashboard chooses alike.
    """
    newest: Saved | None = None
    elsewhere: Saved | None = None
    for folder in reversed(list_runs(artifacts_dir)):
        try:
            saved = Saved(load_run(folder), folder)
        except DocumentError:
            continue
        if saved.run.state != "finished":
            continue
        if newest is None:
            newest = saved if measured_targets(saved.run) else None
        elif measured_targets(saved.run) & measured_targets(newest.run):
            if saved.run.machine.get("kind") == newest.run.machine.get("kind"):
                return saved, newest
            elsewhere = elsewhere or saved
    if newest is None:
        raise NothingMatched(f"no run with a result in {artifacts_dir}; make one with `perfproof run`")
    if elsewhere is not None:
        return elsewhere, newest
    names = ", ".join(sorted(measured_targets(newest.run), key=natural_order))
    raise NothingMatched(f"{names}: measured in {newest.run.run} only; measure again with {_again(newest.run)}")


def _again(run: Run) -> str:
    """How to measure a run's targets once more: `rerun` refuses what has a command line or a program of its own."""
    if run.options.get("functions"):
        return "the program that called `perfproof.compare`"
    own = "ab" in run.options or "sweep" in run.options
    return f"`{shlex.join(run.command) if own else 'perfproof rerun latest'}`"


def measured_targets(run: Run) -> set[str]:
    return {target.target for target in run.targets if target.status == "ok" and target.ratios}


def refuse_unlike(a: Run, b: Run, judged: Judged, across: bool) -> list[str]:
    """The fields in which two machines differ; refused unless only speed-ups are asked for, across them."""
    if a.run == b.run:
        raise UsageError(f"{a.run} is compared with itself; name two runs")
    prints = [run.machine.get("fingerprint") for run in (a, b)]
    if None in prints:
        raise UsageError("one of the runs does not say what machine it is of: nothing can be compared")
    if prints[0] == prints[1]:
        return []
    differing = changed_fields(environment_fields(a.machine), environment_fields(b.machine))
    if not across:
        raise UsageError(
            f"{a.run} and {b.run} cannot be compared, they differ in {in_one_line(differing)}; "
            "--across compares their speed-ups, which were each measured on one machine"
        )
    if judged == "time":
        raise UsageError("times of two different machines cannot be judged; leave out --judge time")
    return differing


def _matched(a: Run, b: Run) -> dict[str, tuple[TargetResult | None, TargetResult | None]]:
    """By name, in A's order; planned targets that never finished count as well."""
    ours, theirs = ({target.target: target for target in run.targets} for run in (a, b))
    names = dict.fromkeys([*a.planned, *ours, *b.planned, *theirs])
    return {name: (ours.get(name), theirs.get(name)) for name in names}


def _rows(
    name: str, before: TargetResult | None, after: TargetResult | None, a: Saved, b: Saved, times: bool
) -> list[ComparedRow]:
    """One row for each variant; a target that cannot be compared has one row that says why."""
    if before is None or after is None:
        absent = a if before is None else b
        return [ComparedRow(target=name, state="missing", reason=f"no result in {absent.run.run}")]
    if before.status == after.status == "skipped":
        return [ComparedRow(target=name, state="skipped", reason=after.reason)]
    for one, saved in ((before, a), (after, b)):
        if one.status != "ok" or not one.ratios:
            return [ComparedRow(target=name, state="failed", reason=f"{one.status} in {saved.run.run}: {one.reason}")]
    if before.sizes != after.sizes:
        return [ComparedRow(target=name, state="other work", reason=f"sizes {before.sizes} and {after.sizes}")]
    variants = dict.fromkeys([*before.ratios, *after.ratios])
    return [_row(before, after, variant, a, b, times) for variant in variants]


def _row(before: TargetResult, after: TargetResult, variant: str, a: Saved, b: Saved, times: bool) -> ComparedRow:
    row = ComparedRow(target=before.target, variant=variant, state="compared")
    old, new = before.ratios.get(variant), after.ratios.get(variant)
    if old is None or new is None:
        row.state, row.reason = "missing", "the variant is in one run only"
        return row
    if (old.claim, old.clock) != (new.claim, new.clock):
        row.state, row.reason = "other work", f"{old.claim} by {old.clock} and {new.claim} by {new.clock}"
        return row
    row.speed_up_a, row.speed_up_b = old.ratio, new.ratio
    row.speed_up = _speed_up(old, new)
    row.time = _time(a, b, before, after, variant) if times else None
    row.causes = [*causes(before, after, variant, clean_commits(a.run, b.run)), *causes_of_runs(a.run, b.run)]
    row.wrong_output = _wrong_output(after, b) if not _wrong_output(before, a) or after.gate == "fail" else ""
    return row


def _wrong_output(target: TargetResult, saved: Saved) -> str:
    """What is wrong with what a program printed, unless its run allowed it."""
    if (saved.run.options.get("ab") or {}).get("output_may_differ") or is_other_work(target):
        return ""
    return next((one.text for one in target.warnings if one.code == "W140" and PRINTS in one.text), "")


def _speed_up(old: RatioResult, new: RatioResult) -> Change | None:
    if old.ratio is None or new.ratio is None:
        return None
    beta = (old.beta or 0.0) + (new.beta or 0.0)  # two runs, two layouts: what they share with themselves adds
    before, after = day_ratio(old), day_ratio(new)
    open_ones = [one for one in (old, new) if one.verdict == "unstable"]
    if before is None or after is None or not has_interval(before) or not has_interval(after) or open_ones:
        why = "unstable in one of the runs" if open_ones else FEW
        return Change(ratio=new.ratio / old.ratio, beta=beta, why_no_interval=why)
    return _change(
        Estimate(before.theta, before.error, max(1, before.units - 1)),
        Estimate(after.theta, after.error, max(1, after.units - 1)),
        beta,
    )


def _time(a: Saved, b: Saved, before: TargetResult, after: TargetResult, variant: str) -> Change | None:
    """A's time over B's, over launches of either run."""
    seconds = [seconds_of(one, variant) for one in (before, after)]
    if not seconds[0] or not seconds[1]:
        return None
    sides, fewest = [], math.inf
    for saved, target in ((a, before), (b, after)):
        units = log_times(saved.folder, target, variant)
        fewest = min(fewest, len(units))
        mean, error = mean_and_error(units) if units else (0.0, None)
        sides.append(None if error is None else Estimate(-mean, error, len(units) - 1))
    if sides[0] is None or sides[1] is None:
        why = FEW if fewest else _why_no_times(before, after, variant)
        return Change(ratio=seconds[0] / seconds[1], why_no_interval=why)
    beta = sum(target.ratios[variant].beta or 0.0 for target in (before, after))
    return _change(sides[0], sides[1], beta)


def _why_no_times(before: TargetResult, after: TargetResult, variant: str) -> str:
    """Samples of programs are whole runs in blocks, not calls in launches."""
    programs = any(one.program or one.ratios[variant].rung == "programs" for one in (before, after))
    return OF_PROGRAMS if programs and before.samples and after.samples else NO_SAMPLES


def _change(before: Estimate, after: Estimate, beta: float) -> Change:
    return _told(difference(after, before), beta)


def _told(moved: Estimate, beta: float) -> Change:
    half_width = two_sided(LEVEL, moved.freedom) * moved.error
    return Change(
        ratio=math.exp(moved.theta),
        low=math.exp(moved.theta - half_width),
        high=math.exp(moved.theta + half_width),
        level=LEVEL,
        error=moved.error,
        freedom=moved.freedom,
        beta=beta,
        p=two_sided_p(moved.theta, moved.error, moved.freedom, beta),
        p_worse=one_sided_p(-moved.theta, moved.error, moved.freedom, beta),
    )


def judged_change(row: ComparedRow, judged: Judged) -> Change | None:
    return row.time if judged == "time" else row.speed_up


def unanswered(found: RunComparison) -> list[ComparedRow]:
    """Rows that are in both runs and still say neither that B is worse nor that it is not; the canary is not asked."""
    return [
        row
        for row in found.rows
        if row.state == "compared"
        and row.target != found.canary
        and ((change := judged_change(row, found.judged)) is None or change.p_worse is None)
    ]


def _add_days(found: RunComparison) -> None:
    """What a day does to all targets of a run belongs into the error of each, else a slow day makes every row worse."""
    by_canary = {found.judged: found.shared} if found.shared is not None else {}
    for row in found.rows:
        if row.time is not None:
            row.time = _widened(row.time, by_canary.get("time", BETWEEN_DAYS))
        if row.speed_up is not None and row.speed_up.error:  # what every process agreed on exactly no day moves
            row.speed_up = _widened(row.speed_up, by_canary.get("speed-up", 0.0))


def _widened(change: Change, known: float) -> Change:
    """With a known variance more in its error."""
    if change.error is None or change.freedom is None or known == 0:
        return change
    own, whole, freedom = change.error**2, change.error**2 + known**2, change.freedom
    if own > 0:
        freedom *= (whole / own) ** 2  # a known variance has no uncertainty of its own
    return _told(Estimate(math.log(change.ratio), math.sqrt(whole), freedom), change.beta)


def _mark(found: RunComparison) -> None:
    """Benjamini–Hochberg for the marks of the table, Holm for what the gate fails on; the canary is nobody's claim."""
    tested = [
        (row, change)
        for row in found.rows
        if row.target != found.canary
        and (change := judged_change(row, found.judged)) is not None
        and change.p is not None
    ]
    marks = benjamini_hochberg([change.p or 0.0 for _, change in tested])
    losses = holm([change.p_worse or 0.0 for _, change in tested])
    for (row, _), marked, worse in zip(tested, marks, losses, strict=True):
        row.marked, row.worse = marked, worse
    for row in (one for one in found.rows if one.target != found.canary):
        row.verdict = _verdict(row, judged_change(row, found.judged))


def _verdict(row: ComparedRow, change: Change | None) -> Verdict | None:
    """In a word. Without a mark it is `same` only if the whole interval lies within what does not matter."""
    if row.state != "compared" or change is None or change.low is None or change.high is None:
        return None
    if row.worse:
        return "worse"
    if row.marked:
        return "better" if change.ratio > 1 else "differs"
    near = change.low >= 1 / (1 + SMALL) and change.high <= 1 + SMALL
    return "same" if near else "no difference"


def _add_means(found: RunComparison, canary: str | None) -> None:
    """Both geometric means, or why there is none."""
    rows = [row for row in found.rows if row.state != "skipped" and row.target != canary]
    changes = [judged_change(row, found.judged) for row in rows]
    estimates = [
        Estimate(math.log(change.ratio), change.error, change.freedom)
        for change in changes
        if change is not None and change.error is not None and change.freedom is not None
    ]
    if not rows or len(estimates) < len(rows):
        missing = len(rows) - len(estimates)
        found.withheld = f"{missing} of {len(rows)} rows have no interval" if rows else "no target has a result in both"
        return
    suite = this_suite(estimates, found.shared or 0.0)
    found.means = [
        SuiteMean(name="this suite", **_ends(suite)),
        SuiteMean(name="a workload like these", **_ends(workload_like_these([one.theta for one in estimates]))),
    ]


def _shared(found: RunComparison, canary: str | None) -> float | None:
    """tau_shared: how far a target that nobody changed has moved, beyond its own error."""
    if canary is None:
        return None
    row = next((row for row in found.rows if row.target == canary and row.state == "compared"), None)
    change = judged_change(row, found.judged) if row else None
    if change is None or change.error is None:
        raise UsageError(f"--canary {canary!r} has no result with an interval in both runs; choose another")
    return math.sqrt(max(0.0, math.log(change.ratio) ** 2 - change.error**2))


def _ends(mean: Mean) -> dict[str, float | None]:
    logs = {"ratio": mean.theta, "low": mean.low, "high": mean.high}
    return {name: None if value is None else math.exp(value) for name, value in logs.items()}
