"""What `ab --gate` decided: the last line of a log of CI, and the failure of a test case."""

import math
from collections.abc import Sequence

from perfproof.core.documents import Run, TargetResult
from perfproof.core.units import percent
from perfproof.report.rows import one_line, target_rows
from perfproof.report.sentences import WORDS, largest_loss, prints

WORSE = ("slower", "worse")
DECIDED = (*WORSE, "faster", "better", "same")
ONE_LAUNCH = 0.05  # what a quick run, of one launch, can tell at all
WRONG = ("failed-verification", "rejected")


def gate_line(run: Run) -> str:
    """The decision, and the verdict that it follows from."""
    verdicts = [_said(target) for target in run.targets]
    if worse := next((target for target in run.targets if is_loss(target)), None):
        return f"gate failed: {_loss(run, worse)}"
    if wrong := next((target for target in run.targets if target.status in WRONG), None):
        return f"gate failed: {one_line(wrong.reason) or wrong.status}"
    if other := next((target for target in run.targets if prints_otherwise(run, target)), None):
        return f"gate failed: {_otherwise(other)}"
    if any(target.status != "ok" for target in run.targets) or run.state != "finished":
        return f"gate not decided: {', '.join(verdicts) or run.state}"
    open_ones = [target for target in run.targets if target.verdict not in DECIDED]
    if any(is_open(run, target) for target in open_ones):
        return f"gate not decided: {', '.join(verdicts)}; a slowdown was neither shown nor excluded"
    return f"gate passed: {', '.join(verdicts)}{_not_excluded(run, open_ones) if open_ones else ''}"


def is_open(run: Run, target: TargetResult) -> bool:
    """Was nothing shown that the gate could go by?"""
    decided = target.verdict in (*DECIDED, "inconclusive") or _is_within(run, target)
    return target.status == "ok" and not decided


def _is_within(run: Run, target: TargetResult) -> bool:
    """Does one launch exclude what the gate asks for? Its memory layout alone can make some per cent."""
    delta = run.options.get("delta", 0.01)
    if target.verdict != "indicative" or delta < ONE_LAUNCH or not target.ratios:
        return False
    return all(judged.low and largest_loss(judged) <= delta for judged in target.ratios.values())


def is_loss(target: TargetResult) -> bool:
    """Is it worse, and not surely by less than delta?"""
    sizes = [judged.size for judged in target.ratios.values() if judged.verdict in WORSE]
    return target.verdict in WORSE and any(size != "small" for size in sizes or [None])


def prints_otherwise(run: Run, target: TargetResult) -> bool:
    """Do two programs print different things, and is that not allowed?"""
    return prints(target).startswith("but") and not (run.options.get("ab") or {}).get("output_may_differ")


def _otherwise(target: TargetResult) -> str:
    said = next(one.text for one in target.warnings if one.code == "W140")
    return f"{one_line(said)}; --output-may-differ if they are meant to"


def _not_excluded(run: Run, targets: Sequence[TargetResult]) -> str:
    """The largest slowdown that the intervals still allow."""
    judged = [ratio for target in targets for ratio in target.ratios.values()]
    worst = max(map(largest_loss, judged), default=math.inf)
    if not math.isfinite(worst):
        return "; a slowdown was neither shown nor excluded"
    word = WORDS[max(judged, key=largest_loss).claim][2]
    most, delta = f"at most {percent(worst)} {word}", run.options.get("delta", 0.01)
    return f"; {most}" if worst <= delta else f"; {most}, so more than {100 * delta:g} % is not excluded"


def gate_failure(run: Run, target: TargetResult) -> str:
    """Why a target fails the gate of its run; empty if it passes, or if the run has no gate."""
    if not run.options.get("gate"):
        return ""
    return _loss(run, target) if is_loss(target) else _otherwise(target) if prints_otherwise(run, target) else ""


def _loss(run: Run, target: TargetResult) -> str:
    a, b = target.labels.get("baseline", "a"), target.labels.get("b", "b")
    unclear = any(judged.size == "unclear" for judged in target.ratios.values())
    more = f"by {'perhaps ' if unclear else ''}more than {100 * run.options.get('delta', 0.01):g} %"
    name, found, _ = target.target.partition(": ")  # of a pair at two revisions; commands are in the labels
    of = f"{name}: " if found and name not in (a, b) else ""
    return f"{of}{b} is {target.verdict} than {a} {more}{f': {_ratio(target)}' if _ratio(target) else ''}"


def _said(target: TargetResult) -> str:
    return f"{target.verdict or target.status} {_ratio(target)}".strip()


def _ratio(target: TargetResult) -> str:
    return next((row.ratio for row in target_rows(target)), "")
