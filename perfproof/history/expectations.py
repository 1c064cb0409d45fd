"""Expectations as files, `expectations/<hardware kind>.json`: read, written, and changed only by a person's wish.

A run becomes a measuring day of its targets if it is qualified: finished, verified, at the declared sizes, from a clean
commit that holds the target's file, with machine, samples and an interval. Days are appended, never replaced by better
ones.
"""

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import stdev
from typing import Any

from perfproof.core.atomic import write_atomic
from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.environment import environment_fields
from perfproof.core.errors import DocumentError, UsageError
from perfproof.core.expectations import EXPECTATIONS_VERSION, Day, DayRatio, DayTime, Expectation, Expectations
from perfproof.core.ratio_figures import seconds_of
from perfproof.core.units import count
from perfproof.history.alone import alone
from perfproof.history.launch_times import log_times, mean_and_error
from perfproof.stats.student import two_sided
from perfproof.stats.units import LEAST_UNITS

FOLDER = "expectations"
OPEN_VERDICTS = ("unstable",)
NAMED_FILES = 3
OF_PAIRS = "expectations are of pairs that `perfproof run` has measured"
NOT_OF_PAIRS = {  # option of the run -> why it has no place here, and what does
    "ab": f"it is an A/B: {OF_PAIRS}; programs and functions are gated by `perfproof ab ... --rev main --rev HEAD "
    "--gate`, which needs no record",
    "sweep": f"it is a sweep: {OF_PAIRS}; measure one point with `perfproof run`",
    "functions": f"it is of functions of a program: {OF_PAIRS}; functions are gated by `perfproof ab`, which needs "
    "no record",
}


def path_of(folder: Path | str, kind: str) -> Path:
    return Path(folder) / f"{kind}.json"


@contextmanager
def changing(folder: Path | str, kind: str) -> Iterator[None]:
    """Around loading, changing and saving: two updates at once would each save without the other's day."""
    path = path_of(folder, kind)
    with ExitStack() as stack:
        try:
            stack.enter_context(alone(path))
        except OSError as error:
            raise _unwritable(path, error) from None
        yield


def load_expectations(folder: Path | str, kind: str) -> Expectations:
    """Those of a machine kind; empty ones where there is no file yet."""
    path = path_of(folder, kind)
    if not path.exists():
        return Expectations(kind=kind)
    try:
        raw = json.loads(path.read_text())
        version = raw["schema_version"]
        if not isinstance(version, int) or version > EXPECTATIONS_VERSION:
            raise DocumentError(f"{path}: written by a newer perfproof: version {version}; upgrade this one")
        return Expectations.model_validate(raw)
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = " ".join(str(error).split())[:200]
        raise DocumentError(f"{path}: not an expectations document: {why}; take it from git again") from None


def save_expectations(folder: Path | str, expectations: Expectations) -> Path:
    """Replace the file at once; its order is fixed, so that a change reads well in a diff."""
    path = path_of(folder, expectations.kind)
    content = expectations.model_dump(mode="json")
    for name in ("targets", "environments"):
        content[name] = dict(sorted(content[name].items()))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    except OSError as error:
        raise _unwritable(path, error) from None
    return path


def why_unqualified(run: Run) -> list[str]:
    """What a run lacks to become a measuring day; empty: nothing."""
    machine, options, git = run.machine, run.options, run.git
    reasons = {
        f"it is {run.state}": run.state != "finished",
        "its machine is unknown": not machine.get("fingerprint") or not machine.get("kind"),
        f"its commit is unknown: {git.get('why', 'there is none yet')}": not git.get("commit"),
        _changed_since(git): bool(git.get("commit")) and git.get("dirty") is not False,
        "it ran at smoke sizes (--fast)": bool(options.get("fast")),
        "sizes were changed with --set": any(options.get("sizes", {}).values()),
    }
    found = [why for name, why in NOT_OF_PAIRS.items() if name in options]
    return found or [reason for reason, holds in reasons.items() if holds]


def what_instead(run: Run) -> str:
    """What to do about a run that is not qualified; empty if its reasons say it."""
    return "" if any(name in run.options for name in NOT_OF_PAIRS) else "; measure again on a clean commit"


def _changed_since(git: Mapping[str, Any]) -> str:
    names = git.get("changed") or []
    more = f" and {len(names) - NAMED_FILES} more" if len(names) > NAMED_FILES else ""
    named = f": {', '.join(names[:NAMED_FILES])}{more}" if names else ""
    return f"its files were changed since the commit{named}"


def dates_of(days: Iterable[Day]) -> list[str]:
    """Several runs of one date are one measuring day."""
    return sorted({day.date[:10] for day in days})


def record(
    expectations: Expectations, run: Run, folder: Path, message: str, in_commit: Callable[[str], bool]
) -> tuple[Expectations, list[str]]:
    """The expectations with one day more for each target of the run that ended well, and a line about each."""
    if run.run in expectations.environments:
        raise UsageError(f"{run.run} is recorded already; measure again for another day")
    changed, said = expectations.model_copy(deep=True), []
    for target in run.targets:
        if target.status != "ok" or not target.ratios:
            said.append(f"{target.target}: not recorded: {target.status}")
            continue
        day = make_day(run, target, folder, message, in_commit)
        entry = changed.targets.setdefault(target.target, Expectation())
        entry.path = target.path
        entry.days = sorted([*entry.days, day], key=lambda one: one.date)
        said.append(f"{target.target}: {_said(day)}{_which_day(entry.days, day)}")
    if not any(day.run == run.run for entry in changed.targets.values() for day in entry.days):
        raise UsageError(f"{run.run} has no target that ended well: nothing to record")
    changed.environments[run.run] = environment_fields(run.machine)
    return changed, said


def make_day(run: Run, target: TargetResult, folder: Path, message: str, in_commit: Callable[[str], bool]) -> Day:
    problems = _problems(target)
    if not in_commit(target.path):
        problems.append("its file is not in the commit")
    ratios = {variant: day_ratio(one) for variant, one in target.ratios.items()}
    return Day(
        run=run.run,
        date=run.started,
        commit=str(run.git.get("commit") or ""),
        fingerprint=str(run.machine.get("fingerprint") or ""),
        qualified=not problems,
        why_not="; ".join(problems),
        message=message,
        effort=str(run.options.get("effort", "standard")),
        sizes=target.sizes,
        source_sha256=target.source_sha256,
        ratios={variant: one for variant, one in ratios.items() if one is not None},
        times={side: day_time(folder, target, side) for side, one in target.variants.items() if one.times},
        ceilings={
            side: one.light.share
            for side, one in target.variants.items()
            if one.light is not None and one.light.share is not None
        },
    )


def day_ratio(judged: RatioResult) -> DayRatio | None:
    """None where there is no ratio at all."""
    if judged.ratio is None:
        return None
    error, units = _error_and_units(judged)
    return DayRatio(
        verdict=judged.verdict,
        ratio=judged.ratio,
        low=judged.low,
        high=judged.high,
        level=judged.level,
        claim=judged.claim,
        clock=judged.clock,
        theta=math.fsum(judged.units) / len(judged.units) if judged.units else math.log(judged.ratio),
        error=error,
        units=units,
    )


def day_time(folder: Path, target: TargetResult, side: str) -> DayTime:
    """The time that stands beside the ratio; the baseline's beside the first variant."""
    units, seconds = log_times(folder, target, side), seconds_of(target, side) or 0.0
    return DayTime(seconds=seconds, error=mean_and_error(units)[1] if units else None, units=len(units))


def prune(expectations: Expectations, keep: int, gone: Collection[str] = ()) -> tuple[Expectations, list[str]]:
    """Without the targets that are gone, and with the newest `keep` dates of every other."""
    changed, said = expectations.model_copy(deep=True), []
    for name in list(changed.targets):
        entry = changed.targets[name]
        dates = dates_of(entry.days)
        if name in gone:
            said.append(f"{name}: removed, {count(len(dates), 'day')}")
            del changed.targets[name]
        elif len(dates) > keep:
            said.append(f"{name}: {len(dates) - keep} of {len(dates)} days removed")
            entry.days = [day for day in entry.days if day.date[:10] in dates[-keep:]]
    used = {day.run for entry in changed.targets.values() for day in entry.days}
    changed.environments = {run: fields for run, fields in changed.environments.items() if run in used}
    return changed, said


def has_interval(ratio: DayRatio) -> bool:
    """Five units; of memory that every process agreed on, its processes."""
    return ratio.units >= LEAST_UNITS


def _error_and_units(judged: RatioResult) -> tuple[float, int]:
    """The standard error of the log-ratio and what it rests on; no units where nothing tells how sure it is.

    Start-up, and memory whose processes differ, keep no units, only the ends of Welch's interval. Of n processes a side
    its freedom was between n - 1 and 2 n - 2: the most gives the largest error that the ends allow, and n units the
    least freedom, so that no later comparison is surer than the interval was.
    """
    units, count = judged.units, judged.processes
    if units:
        return (stdev(units) / math.sqrt(len(units)) if len(units) >= 2 else 0.0), len(units)
    if judged.low is not None and judged.high is not None and count > 2:
        half_width = (math.log(judged.high) - math.log(judged.low)) / 2
        return half_width / two_sided(judged.level, count - 2), count // 2
    exact = judged.claim == "memory" and judged.verdict != "indicative"  # every process agreed: there is no spread
    return 0.0, count if exact else 0


def _problems(target: TargetResult) -> list[str]:
    first = next(iter(target.ratios.values()))
    known = day_ratio(first)
    reasons = {
        "no samples were kept": target.samples is None,
        "there is no interval": known is None or not has_interval(known),
        f"its verdict is {first.verdict}": first.verdict in OPEN_VERDICTS,
        "a check failed": any(check.result == "fail" for check in target.checks),
    }
    return [reason for reason, holds in reasons.items() if holds]


def _which_day(days: Sequence[Day], day: Day) -> str:
    """`, day 2`, or `, day 2 (run 3 of 2026-11-20)`; nothing for one that does not count."""
    if not day.qualified:
        return ""
    used = [one for one in days if one.qualified]
    dates, same = dates_of(used), [one for one in used if one.date[:10] == day.date[:10]]
    again = f" (run {len(same)} of {day.date[:10]}, one day)" if len(same) > 1 else ""
    return f", day {dates.index(day.date[:10]) + 1}{again}"


def _said(day: Day) -> str:
    ratios = ", ".join(f"{variant} {one.ratio:.3f}x {one.verdict}" for variant, one in day.ratios.items())
    return (
        ratios if day.qualified else f"{ratios or 'no ratio'} (recorded, but not used as an expectation: {day.why_not})"
    )


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot write {path}: {error.strerror}; choose another --expectations-dir")
