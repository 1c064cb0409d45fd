"""The one step that makes most sense after a run: the last line of its table."""

import math
import re
import shlex
from collections.abc import Sequence

from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.options import EFFORTS
from perfproof.machine.preflight import REASONS
from perfproof.report.labels import label_of
from perfproof.report.rows import WIDENED, folder_of, machine_warnings
from perfproof.report.undecided import PROGRAMS, program_seconds, rough, suffices
from perfproof.stats.quads import BASELINE

BROKEN = ("crashed", "timeout", "failed-verification", "rejected")
ROOM = 1.2  # for the runs before the first block
ONCE = ("verification", "memory", "energy", "other clocks")  # what a target does once, not per launch
LONGER = {"standard": 2.0, "final": 4.0}  # than the effort before it, roughly
CHECKOUT = re.compile(r"^/\S*/perfproof-rev-[^/]+/\d+/")
QUIET = "  # when the machine is quiet"
STANDARD_SECONDS = 300.0  # of a target's --timeout


def next_command(run: Run) -> str:
    """A command, after a refusal also what to do before it; what follows a `#` is for the reader."""
    again = f"perfproof rerun {run.run.rpartition('-')[2]}"
    where, effort = _where(run), run.options.get("effort", "standard")
    if run.options.get("functions"):  # repeated by the program that called `perfproof.compare`
        return f"perfproof report run {run.run.rpartition('-')[2]} --format html{where}"
    if run.options.get("sweep"):
        goes_on = run.state != "finished" or _first(run, *BROKEN) is not None
        name = run.run.rpartition("-")[2]
        return (
            f"perfproof sweep --resume {name}{where}"
            if goes_on
            else f"perfproof report run {name} --format html{where}"
        )
    if run.state != "finished":
        return again + where
    if (broken := _first(run, *BROKEN)) is not None:
        if place := _wrong_function(broken):
            return f"edit {place}, then: {again}{where}"
        if broken.path and not _is_ours(broken) and broken.status in ("crashed", "failed-verification"):
            return _after_refusal(broken, where, again if run.options.get("ab") else None)
        if run.options.get("ab"):
            return f"less {folder_of(run) / broken.log}" if broken.log else f"perfproof explain {broken.status}"
        longer = f" --timeout {_doubled(run.options.get('timeout') or STANDARD_SECONDS)}"
        return f"{again}{longer if broken.status == 'timeout' else ''}{where}"
    if (refused := _first(run, "refused")) is not None:
        return _after_refusal(refused, where, again if run.options.get("ab") else None)
    measured = [target for target in run.targets if target.ratios or target.is_alone]
    if not measured:
        return after_skipping(run)
    if run.options.get("fast") and not run.options.get("ab"):
        return shlex.join(["perfproof", "run", *map(str, run.options.get("targets", ()))]) + where
    if cut := [target for target in measured if _was_cut_short(target)]:
        longer = f" --budget {enough_budget(run.options['budget'], cut, effort)}" if run.options.get("budget") else ""
        longer = longer or f" --timeout {_doubled(run.options.get('timeout') or STANDARD_SECONDS)}"
        all_again = len(cut) == len(measured) or run.options.get("ab")
        longer = f"{again}{longer}{where}" if all_again else _alone(cut, effort, where)
        return f"{longer}{QUIET if any(map(_was_disturbed, cut)) else ''}"
    busy = any(warning["code"] == "W107" for warning in machine_warnings(run))
    if effort != "quick" and any(map(_was_widened, measured)):
        longer = (
            ""
            if run.options.get("budget")
            else f" --timeout {_doubled(run.options.get('timeout') or STANDARD_SECONDS)}"
        )
        return f"{again}{longer}{where}{QUIET if busy else ''}"
    unstable = [target for target in measured if any(one.verdict == "unstable" for one in target.ratios.values())]
    if (unstable and busy) or any(map(_was_disturbed, unstable)):
        return f"{again}{where}{QUIET}"
    undecided = [target for target in measured if any(one.verdict == "inconclusive" for one in target.ratios.values())]
    if effort == "quick" and all(suffices("standard", one) for one in _undecided_ratios(undecided)):
        return f"{again} --effort standard{where}  # about {_span('standard', measured)}"
    if undecided and effort != "final":
        despite = "".join(f" --allow {word}" for word in _allowed_words(run))
        all_again = len(undecided) == len(measured) or run.options.get("ab")
        one = f"{again} --effort final" if all_again else _alone(undecided, "final", "")
        if not all(suffices("final", judged) for judged in _undecided_ratios(undecided)):
            return f"{again}{' --effort standard' if effort == 'quick' else ''}{where}{QUIET}"
        return (
            f"{one}{despite}{where}  # about {_span('final', undecided)}{', better on a quiet machine' if busy else ''}"
        )
    return f"perfproof report run {run.run.rpartition('-')[2]} --format html{where}"


def notes_command(run: Run) -> str:
    return f"perfproof report run {run.run.rpartition('-')[2]} --notes{_where(run)}"


def _where(run: Run) -> str:
    folder = str(run.options.get("artifacts_dir", "artifacts"))
    return "" if folder == "artifacts" else f" --artifacts-dir {shlex.quote(folder)}"


def _after_refusal(refused: TargetResult, where: str, again: str | None) -> str:
    """The place in the file that its reason names, and how to try again: `again`, if it was no plain run.

    A file of a checkout is named by its place in the repository: the checkout is gone.
    """
    place = re.match(r"(\S+?\.py(?::\d+)?)\b", refused.reason) or re.search(r"\((\S+?\.py:\d+)\b", refused.reason)
    if not refused.path:
        return "perfproof explain refused"
    if instead := re.search(r"no pair; [^`]*`([^`]+)`", refused.reason):  # a program: its reason names the command
        return instead.group(1)
    edit = CHECKOUT.sub("", place.group(1) if place else refused.path)
    if again is not None:
        return f"edit {edit}, then: {again}{where}"
    return f"edit {edit}, then: perfproof run {shlex.quote(_written(refused))}{where}"


def without_the_wrong_one(run: Run) -> list[str]:
    """One wrong variant keeps the others of its pair from being measured: the commands that measure these."""
    if run.options.get("ab") or run.options.get("functions") or run.options.get("sweep"):
        return []
    commands = []
    for target in run.targets:
        wrong = wrong_side(target)
        others = [one for one in target.variants if one not in (BASELINE, wrong)]
        if wrong in target.variants and wrong != BASELINE and others:
            named = " ".join(f"--variant {one}" for one in others)
            effort = run.options.get("effort", "standard")
            more = "" if effort == "standard" else f" --effort {effort}"
            command = f"perfproof run {shlex.quote(_written(target))} {named}{more}{_where(run)}"
            commands.append(f"without {wrong}: {command}")
    return commands


def same_inputs(run: Run) -> str:
    """How to get the inputs of a wrong answer again; empty if there is none."""
    if _first(run, "failed-verification") is None or not run.seed or run.options.get("sweep"):
        return ""
    if run.options.get("functions"):
        return f'the same inputs again: compare(..., seed="{run.seed}")'
    if (run.options.get("ab") or {}).get("a"):  # commands have their own inputs
        return ""
    return f"the same inputs again: perfproof rerun {run.run.rpartition('-')[2]}{_where(run)}"


def wrong_side(target: TargetResult) -> str:
    """The side with the wrong answer, as the document knows it; empty if none is named."""
    said = target.reason.partition(": ")[2] if target.status == "failed-verification" else ""
    names = {name: side for side in target.variants for name in (side, label_of(target, side))}
    begun = [name for name in names if said.startswith((f"{name} at ", f"{name} with ", f"{name}: "))]
    return names[max(begun, key=len)] if begun else ""


def _wrong_function(broken: TargetResult) -> str:
    """File and line of the function with the wrong answer, of two functions without a pair's file."""
    found = broken.functions.get(wrong_side(broken))
    return f"{found.path}:{found.line}" if found else ""


def after_skipping(run: Run) -> str:
    """What is missing: a package, or hardware."""
    for target in run.targets:
        if found := re.search(r"pip install '[^']+'|pip install \S+", target.reason):
            return found.group(0)
    return "perfproof doctor  # what this machine can measure"


def _was_cut_short(target: TargetResult) -> bool:
    ended = any(warning.code == "W118" for warning in target.warnings)
    return ended and any(one.verdict in ("indicative", "inconclusive") for one in target.ratios.values())


def _alone(targets: Sequence[TargetResult], effort: str, where: str) -> str:
    names = " ".join(shlex.quote(_written(target)) for target in targets[:3])
    return f"perfproof run {names} --effort {effort}{where}"


def _written(target: TargetResult) -> str:
    """As a person names it: a file of the user's by its path."""
    return target.target if _is_ours(target) or not target.path else target.path


def _is_ours(target: TargetResult) -> bool:
    """A pair of a chapter or lab: to change it is not the user's next step."""
    return ":" in target.target or target.target.startswith("labs/")


def _allowed_words(run: Run) -> list[str]:
    """A claim is refused for each of these, unless it is allowed."""
    codes = {warning["code"] for warning in machine_warnings(run)}
    return [word for word, code in REASONS.items() if code in codes]


def _span(effort: str, targets: Sequence[TargetResult]) -> str:
    """How long these targets take with a larger effort, from least to most; an undecided comparison takes the most."""
    least = most = 0.0
    for target in targets:
        judged = next(iter(target.ratios.values()), None)  # none of a program that was timed alone
        if judged is None or judged.rung != PROGRAMS:
            ends = (LONGER[effort] * target.seconds,) * 2
        else:
            ends = program_seconds(effort, judged, target.seconds)
        is_open = judged is not None and judged.verdict == "inconclusive"
        least, most = least + ends[is_open], most + ends[1]
    return " to ".join(dict.fromkeys([rough(least), rough(most)]))


def _undecided_ratios(targets: Sequence[TargetResult]) -> list[RatioResult]:
    return [one for target in targets for one in target.ratios.values() if one.verdict == "inconclusive"]


def _was_widened(target: TargetResult) -> bool:
    """Is it open only because there was no time to measure each side in processes of its own?"""
    widened = any(check.result == "not-run" and re.search(WIDENED, check.detail) for check in target.checks)
    return widened and any(one.verdict == "inconclusive" for one in target.ratios.values())


def _was_disturbed(target: TargetResult) -> bool:
    """Could most of what was measured not be used?"""
    return any(2 * one.invalid_quads > one.quads for one in target.ratios.values())


def enough_budget(budget: float, cut: Sequence[TargetResult], effort: str) -> str:
    """Twice as much, or what all launches take if each takes as long as those that were measured."""
    needed = max(2 * budget, ROOM * sum(_whole_seconds(target, effort) for target in cut))
    return f"{math.ceil(needed / 10) * 10 if needed > 2 * budget else needed:.0f}s"


def _whole_seconds(target: TargetResult, effort: str) -> float:
    """What a target would have taken with as many launches as its effort asks for, or of commands the fewest blocks."""
    judged = max(target.ratios.values(), key=lambda one: one.launches, default=None)
    if judged is None:
        return target.seconds
    if judged.rung == PROGRAMS:
        return program_seconds(effort, judged, target.seconds)[0]
    launches = sum(taken for part, taken in target.spent.items() if part not in ONCE)
    return target.seconds + max(0, EFFORTS[effort].launches / max(1, judged.launches) - 1) * launches


def _doubled(seconds: float) -> str:
    return f"{2 * seconds:.0f}s"


def _first(run: Run, *statuses: str) -> TargetResult | None:
    """The first target with the gravest of these statuses."""
    found = [target for status in statuses for target in run.targets if target.status == status]
    return found[0] if found else None
