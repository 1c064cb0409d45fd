"""What `ab --gate` decided: the last line of a log of CI, a word for each target, and the failure of a test case."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.units import percent
from perfproof.report.next_step import enough_budget
from perfproof.report.rows import one_line, ratio_text, target_rows
from perfproof.report.sentences import WORDS, largest_loss, prints

if TYPE_CHECKING:
    from perfproof.core.documents import Gate

WORSE = ("slower", "worse")
DECIDED = (*WORSE, "faster", "better", "same")
ONE_LAUNCH = 0.05  # what a quick run, of one launch, can tell at all
WRONG = ("failed-verification", "rejected")
NOT_SHOWN = "a slowdown was neither shown nor excluded"
NOT_DECIDED = 3  # the exit code of a strict gate
MOST_NAMED = 4  # results that passed: more are counted


def gate_line(run: Run) -> str:
    """The decision, and what it follows from. Of several targets those that failed come first, then open ones."""
    found = {word: [one for one in run.targets if decision(run.options, one) == word] for word in ("fail", "pass")}
    still_open = [target for target in run.targets if target not in found["fail"] + found["pass"]]
    more = f"; not decided: {_named(still_open)}" if still_open else ""
    if failed := found["fail"]:
        whole = f"{len(failed)} of {len(run.targets)} targets: " if len(run.targets) > 1 else ""
        return f"gate failed: {whole}{'; '.join(_why(run, target) for target in failed)}{more}"
    if run.state != "finished" or not run.targets:
        return f"gate not decided: {', '.join(map(_said, run.targets)) or run.state}"
    if still_open:
        remark = f"; {NOT_SHOWN}" if any(target.status == "ok" for target in still_open) else ""
        remark += _short_of_time(run, still_open)
        return f"gate not decided: {_named(still_open)}{remark}{_passed(found['pass'])}"
    inconclusive = [target for target in run.targets if target.verdict not in DECIDED]
    return f"gate passed: {_results(run.targets)}{_not_excluded(run, inconclusive) if inconclusive else ''}"


def _short_of_time(run: Run, still_open: Sequence[TargetResult]) -> str:
    """A budget that can never decide would pass every change: the line says how much is needed."""
    cut = [target for target in still_open if any(said.code == "W118" for said in target.warnings)]
    budget = run.options.get("budget")
    if not cut or not budget:
        return ""
    effort = run.options.get("effort", "standard")
    needed = enough_budget(budget, cut, effort)
    quick = "" if effort == "quick" else ", or --effort quick"
    return f"; --budget {budget:g}s is too short for {effort} effort: {needed} would do{quick}"


def decision(options: Mapping[str, Any], target: TargetResult) -> "Gate":
    """What a gate with the options of a run says about one of its targets."""
    if target.status in WRONG or is_loss(target) or _worse_metrics(target) or _prints_otherwise(options, target):
        return "fail"
    return "not decided" if target.status != "ok" or is_open(options, target) else "pass"


def strict_code(run: Run, code: int) -> int:
    """The exit code of a gate that asks for a decision about every target."""
    return NOT_DECIDED if code == 0 and any(target.gate == "not decided" for target in run.targets) else code


def gates(run: Run) -> dict[str, str]:
    """The decision about each target, by its name; empty without a gate, and for one target, which the line names."""
    if not run.options.get("gate") or len(run.targets) < 2:
        return {}
    return {target.target: decision(run.options, target) for target in run.targets}


def is_open(options: Mapping[str, Any], target: TargetResult) -> bool:
    """Was nothing shown that the gate could go by?"""
    decided = target.verdict in (*DECIDED, "inconclusive") or _is_within(options, target)
    return target.status == "ok" and not decided and not _is_clear(target)


def _is_within(options: Mapping[str, Any], target: TargetResult) -> bool:
    """Does one launch exclude what the gate asks for? Its memory layout alone can make some per cent."""
    delta = options.get("delta", 0.01)
    if target.verdict != "indicative" or delta < ONE_LAUNCH or not target.ratios:
        return False
    return all(judged.low and largest_loss(judged) <= delta for judged in target.ratios.values())


def is_loss(target: TargetResult) -> bool:
    """Is it worse, and not surely by less than delta?"""
    sizes = [judged.size for judged in target.ratios.values() if judged.verdict in WORSE]
    return (target.verdict in WORSE and any(size != "small" for size in sizes or [None])) or _is_clear(target)


def _is_clear(target: TargetResult) -> bool:
    """Is it unstable how much slower it is, and the whole interval beyond delta?"""
    unstable = [judged for judged in target.ratios.values() if judged.verdict == "unstable" and judged.high]
    return target.verdict == "unstable" and any((one.high or 1.0) * (1 + (one.delta or 0.01)) < 1 for one in unstable)


def gate_failure(run: Run, target: TargetResult) -> str:
    """Why a target fails the gate of its run; empty if it passes, or if the run has no gate."""
    if not run.options.get("gate") or target.status != "ok":
        return ""
    return _why(run, target) if decision(run.options, target) == "fail" else ""


def _why(run: Run, target: TargetResult) -> str:
    if is_loss(target):
        return _loss(run, target)
    if metrics := _worse_metrics(target):
        return _worse(run, target, metrics)
    several = f"{_name(target)}: " if len(run.targets) > 1 else ""
    if target.status in WRONG:
        return f"{several}{one_line(target.reason) or target.status}"
    said = next(one.text for one in target.warnings if one.code == "W140")
    return f"{several}{one_line(said)}; --output-may-differ if they are meant to"


def _worse_metrics(target: TargetResult) -> list[str]:
    """Metrics that were declared and are not judged: a program that is faster by being less accurate is no gain."""
    return [name for name, one in target.also.items() if one.claim == "metric" and _is_worse(one)]


def _is_worse(judged: RatioResult) -> bool:
    return judged.verdict == "worse" and judged.size != "small"


def _worse(run: Run, target: TargetResult, metrics: Sequence[str]) -> str:
    said = ", ".join(f"{name} ({_from_to(target.also[name])})" for name in metrics)
    several = f"{_name(target)}: " if len(run.targets) > 1 else ""
    judged = next(iter(target.ratios.values()), None)
    what = f"{judged.clock} " if judged is not None and judged.clock else ""
    return f"{several}{target.labels.get('b', 'b')} is worse in {said}, though {what}is {_said(target)}"


def _from_to(judged: RatioResult) -> str:
    """`0.7525 to 0.7045, 0.936x [0.935, 0.937]`"""
    figures = (judged.baseline, judged.variant)
    before = "" if None in figures else f"{judged.baseline:.4g} to {judged.variant:.4g}, "
    return f"{before}{ratio_text(judged)}"


def _prints_otherwise(options: Mapping[str, Any], target: TargetResult) -> bool:
    """Do two programs print different things, and is that not allowed?"""
    return prints(target).startswith("but") and not (options.get("ab") or {}).get("output_may_differ")


def _not_excluded(run: Run, targets: Sequence[TargetResult]) -> str:
    """The largest slowdown that the intervals still allow."""
    judged = [ratio for target in targets for ratio in target.ratios.values()]
    worst = max(map(largest_loss, judged), default=math.inf)
    if not math.isfinite(worst):
        return f"; {NOT_SHOWN}"
    word = WORDS[max(judged, key=largest_loss).claim][2]
    most, delta = f"at most {percent(worst)} {word}", run.options.get("delta", 0.01)
    return f"; {most}" if worst <= delta else f"; {most}, so more than {100 * delta:g} % is not excluded"


def _loss(run: Run, target: TargetResult) -> str:
    a, b = target.labels.get("baseline", "a"), target.labels.get("b", "b")
    unclear = any(judged.size == "unclear" for judged in target.ratios.values())
    more = f"by {'perhaps ' if unclear else ''}more than {100 * run.options.get('delta', 0.01):g} %"
    of = f"{_name(target)}: " if ": " in target.target and _name(target) not in (a, b) else ""
    word = target.verdict if target.verdict in WORSE else WORDS[next(iter(target.ratios.values())).claim][2]
    doubt = ", though how much is unstable" if target.verdict not in WORSE else ""
    return f"{of}{b} is {word} than {a} {more}{f': {_ratio(target)}' if _ratio(target) else ''}{doubt}"


def _name(target: TargetResult) -> str:
    """The pair of two revisions; commands are in the labels."""
    name, found, _ = target.target.partition(": ")
    return name if found else target.labels.get("b", target.target)


def _named(targets: Sequence[TargetResult]) -> str:
    """One target by its result, several also by their names."""
    if len(targets) == 1 and ": " not in targets[0].target:
        return _said(targets[0])
    return ", ".join(f"{_name(target)} {_said(target)}" for target in targets)


def _results(targets: Sequence[TargetResult]) -> str:
    if len(targets) <= MOST_NAMED:
        return ", ".join(map(_said, targets))
    words = Counter(target.verdict or target.status for target in targets)
    return f"{len(targets)} targets, {', '.join(f'{number} {word}' for word, number in words.items())}"


def _passed(targets: Sequence[TargetResult]) -> str:
    return f"; {len(targets)} passed" if targets else ""


def _said(target: TargetResult) -> str:
    return f"{target.verdict or target.status} {_ratio(target)}".strip()


def _ratio(target: TargetResult) -> str:
    return next((row.ratio for row in target_rows(target)), "")
