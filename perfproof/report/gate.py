"""What `ab --gate` decided: the last line of a log of CI, a word for each target, and the failure of a test case.

The rule, for what is judged and for each guard:

    fail          b is certainly slower (the verdict is slower or worse), and its ratio is beyond delta
    pass          the interval excludes a slowdown beyond delta
    not decided   else

A slowdown of less than delta fails no change. One of more does not need an interval that lies beyond delta as a whole:
with the default of 1 %, changes that cost two per cent each would then pass one after the other.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.units import percent
from perfproof.report.judged_quantity import TIME, quantity_of
from perfproof.report.next_step import enough_budget
from perfproof.report.remarks import NOTHING_COMPARED
from perfproof.report.rows import one_line, quantity, ratio_text, target_rows
from perfproof.report.sentences import WORDS, largest_loss, loss_of, prints

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
    """The decision, what it is about, and what it follows from."""
    word, about, why = gate_parts(run)
    return f"{word} ({about}): {why}"


def gate_parts(run: Run) -> tuple[str, str, str]:
    """`gate passed`, `CPU time, delta 5 %`, and why. Targets that failed come first, then open ones."""
    found = {word: [one for one in run.targets if decision(run.options, one) == word] for word in ("fail", "pass")}
    still_open = [target for target in run.targets if target not in found["fail"] + found["pass"]]
    about = _about(run)
    if failed := found["fail"]:
        whole = f"{len(failed)} of {len(run.targets)} targets: " if len(run.targets) > 1 else ""
        more = f"; not decided: {_named(run, still_open)}" if still_open else ""
        return "gate failed", about, f"{whole}{'; '.join(_why(run, target) for target in failed)}{more}"
    if run.state != "finished" or not run.targets:
        return "gate not decided", about, ", ".join(map(_said, run.targets)) or run.state
    if still_open:
        why = "".join(f"; {remark}" for remark in _doubts(run, still_open))
        why = f"{_named(run, still_open)}{why}{_short_of_time(run, still_open)}{_beside(run)}{_passed(found['pass'])}"
        return "gate not decided", about, why
    inconclusive = [target for target in run.targets if target.verdict not in DECIDED]
    most = f"; {_not_excluded(run.options, _judged(inconclusive))}" if inconclusive else ""
    return "gate passed", about, f"{_results(run)}{most}{_beside(run)}"


def _doubts(run: Run, still_open: Sequence[TargetResult]) -> list[str]:
    """Why they are open; of several targets each reason has a name, unless it says nothing of its own."""
    found = {}
    for target in still_open:
        if said := _open(run.options, target):
            several = len(run.targets) > 1 and said != NOT_SHOWN
            found[f"{_name(target)}: {said}" if several else said] = True
    return list(found)


def _about(run: Run) -> str:
    """`CPU time, guarding peak memory, delta 5 %`"""
    judged = list(dict.fromkeys(_what(ratio) for ratio in _judged(run.targets)))
    guards = dict.fromkeys(_what(ratio) for target in run.targets for ratio in guards_of(run.options, target).values())
    guarded = [f"guarding {', '.join(guards)}"] if guards else []
    return ", ".join([*judged, *guarded, f"delta {_delta(run.options)}"])


def _delta(options: Mapping[str, Any]) -> str:
    return f"{100 * options.get('delta', 0.01):g} %"


def _what(judged: RatioResult) -> str:
    """`CPU time`, `peak memory`; the time of a program has a name here, as it stands beside others."""
    found = quantity_of(judged)
    return "wall time" if found == TIME and judged.clock == "wall" else found


def _judged(targets: Sequence[TargetResult]) -> list[RatioResult]:
    return [ratio for target in targets for ratio in target.ratios.values()]


def guards_of(options: Mapping[str, Any], target: TargetResult) -> dict[str, RatioResult]:
    """What the gate goes by beside the judged quantity: every --guard, and every declared --metric."""
    asked = (options.get("ab") or {}).get("guards") or ()
    return {name: one for name, one in target.also.items() if one.claim == "metric" or name in asked}


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
    if target.status in WRONG:
        return "fail"
    if target.status != "ok" or _nothing_compared(target):
        return "not decided"
    found = [outcome(options, one) for one in (*target.ratios.values(), *guards_of(options, target).values())]
    if "fail" in found or _prints_otherwise(options, target):
        return "fail"
    unsure = options.get("strict") and answers_elsewhere(target)
    return "not decided" if not target.ratios or "not decided" in found or unsure else "pass"


def outcome(options: Mapping[str, Any], judged: RatioResult) -> "Gate":
    """The rule, for one quantity."""
    delta = options.get("delta", 0.01)
    if judged.verdict in WORSE:
        if judged.size == "small":
            return "pass"
        return "fail" if is_beyond(judged, delta) else "not decided"
    if judged.verdict == "unstable":  # how much is unclear; that it is more than delta may not be
        return "fail" if judged.high and _loss_by(judged.high) >= delta else "not decided"
    if judged.verdict in DECIDED:
        return "pass"
    within = bool(judged.low) and largest_loss(judged) <= delta
    told = judged.verdict == "inconclusive" or delta >= ONE_LAUNCH  # the memory layout alone can make some per cent
    return "pass" if within and told else "not decided"


def is_beyond(judged: RatioResult, delta: float) -> bool:
    """Is a certain loss larger than delta, as far as the ratio itself says?"""
    return judged.size == "material" or (judged.ratio is not None and _loss_by(judged.ratio) >= delta)


def _loss_by(ratio: float) -> float:
    """On the logarithmic scale of `delta`, as for verdicts: 0.1 is 10 % in either direction."""
    return -math.log(ratio) if ratio > 0 else math.inf


def strict_code(run: Run, code: int) -> int:
    """The exit code of a gate that asks for a decision about every target."""
    return NOT_DECIDED if code == 0 and any(target.gate == "not decided" for target in run.targets) else code


def gates(run: Run) -> dict[str, str]:
    """The decision about each target, by its name; empty without a gate, and for one target, which the line names."""
    if not run.options.get("gate") or len(run.targets) < 2:
        return {}
    return {target.target: decision(run.options, target) for target in run.targets}


def gate_failure(run: Run, target: TargetResult) -> str:
    """Why a target fails the gate of its run; empty if it passes, or if the run has no gate."""
    if not run.options.get("gate") or target.status != "ok":
        return ""
    return _why(run, target) if decision(run.options, target) == "fail" else ""


def gate_doubt(run: Run, target: TargetResult) -> str:
    """Why the gate of its run leaves a measured target open; empty if it does not."""
    if not run.options.get("gate") or target.status != "ok" or decision(run.options, target) != "not decided":
        return ""
    return f"not decided: {_open(run.options, target) or NOT_SHOWN}"


def _why(run: Run, target: TargetResult) -> str:
    several = f"{_name(target)}: " if len(run.targets) > 1 else ""
    if target.status in WRONG:
        return f"{several}{one_line(target.reason) or target.status}"
    lost = [one for one in target.ratios.values() if outcome(run.options, one) == "fail"]
    guards = guards_of(run.options, target)
    worse = [name for name, one in guards.items() if outcome(run.options, one) == "fail"]
    if lost:
        more = f"; also worse in {_in_what(target, worse)}" if worse else ""
        return f"{_loss(run, target, lost[0])}{more}"
    if worse:
        what = next((f"{_what(one)} " for one in target.ratios.values()), "")
        return f"{several}{_b(target)} is worse in {_in_what(target, worse)}, though {what}is {_said(target)}"
    said = next(one.text for one in target.warnings if one.code == "W140")
    return f"{several}{one_line(said)}; --output-may-differ if they are meant to"


def _in_what(target: TargetResult, names: Sequence[str]) -> str:
    return ", ".join(f"{name} ({_from_to(target.also[name])})" for name in names)


def _from_to(judged: RatioResult) -> str:
    """`0.7525 to 0.7045, 0.936x [0.935, 0.937]`"""
    figures = (judged.baseline, judged.variant)
    before = "" if None in figures else f"{' to '.join(quantity(one, judged) for one in figures)}, "
    return f"{before}{ratio_text(judged)}"


def _prints_otherwise(options: Mapping[str, Any], target: TargetResult) -> bool:
    """Do two programs print different things, and is that not allowed?"""
    return prints(target).startswith("but") and not (options.get("ab") or {}).get("output_may_differ")


def _nothing_compared(target: TargetResult) -> str:
    """`main and HEAD are both 1a2b3c4d: nothing was compared`; empty if there are two things to compare."""
    said = [one.text for one in target.warnings if one.code == "W165" and NOTHING_COMPARED in one.text]
    return one_line(said[0]).partition(";")[0] if said else ""


def answers_elsewhere(target: TargetResult) -> str:
    """What W147 says: the answers are right for what was drawn, and b cannot replace a everywhere."""
    said = [one_line(one.text).rstrip(".") for one in target.warnings if one.code == "W147"]
    more = f" and {len(said) - 1} more" if len(said) > 1 else ""
    return f"{said[0].partition('; ')[0]} (W147{more})" if said else ""


def _open(options: Mapping[str, Any], target: TargetResult) -> str:
    """Why a target is not decided; empty if its status says it."""
    if target.status != "ok":
        return ""
    if same := _nothing_compared(target):
        return same
    judged = [one for one in target.ratios.values() if outcome(options, one) == "not decided"]
    guards = guards_of(options, target)
    unsure = [name for name, one in guards.items() if outcome(options, one) == "not decided"]
    said = [_not_excluded(options, judged)] if judged or not target.ratios else []
    said += [
        f"{name} {guards[name].verdict} {ratio_text(guards[name]) or one_line(guards[name].note)}, "
        f"{_not_excluded(options, [guards[name]])}"
        for name in unsure
    ]
    if not said and (elsewhere := answers_elsewhere(target)):
        return elsewhere
    return "; ".join(said)


def _not_excluded(options: Mapping[str, Any], judged: Sequence[RatioResult]) -> str:
    """The largest slowdown that the intervals still allow."""
    worst, delta = max(map(largest_loss, judged), default=math.inf), options.get("delta", 0.01)
    unclear = [one for one in judged if one.verdict in ("unstable", "indicative")]
    if not math.isfinite(worst) or any(outcome(options, one) == "not decided" for one in unclear):
        return NOT_SHOWN
    word = WORDS[max(judged, key=largest_loss).claim][2]
    most = f"at most {percent(worst)} {word}"
    return most if worst <= delta else f"{most}, so more than {_delta(options)} is not excluded"


def _beside(run: Run) -> str:
    """What does not change the decision, and what a reader who merges because of it has to know."""
    found = []
    for target in run.targets:
        several = f"{_name(target)}: " if len(run.targets) > 1 else ""
        found += (
            [f"but {several}{said}"] if (said := answers_elsewhere(target)) and not run.options.get("strict") else []
        )
        found += [f"{several}{said}" for said in _unguarded(run.options, target)]
    return "".join(f"; {said}" for said in dict.fromkeys(found))


def _unguarded(options: Mapping[str, Any], target: TargetResult) -> list[str]:
    """Quantities that became worse for certain, by more than delta, and that this gate does not go by."""
    guards, delta = guards_of(options, target), options.get("delta", 0.01)
    if target.status != "ok" or _nothing_compared(target):
        return []
    return [
        f"{_b(target)} {_by_how_much(one)}, which this gate does not judge: add --guard {name}"
        for name, one in target.also.items()
        if name not in guards and one.verdict in WORSE and one.size != "small" and is_beyond(one, delta)
    ]


def _by_how_much(judged: RatioResult) -> str:
    """`needs 4.02x more memory (31.8 MiB to 128 MiB)`"""
    verb, _, loss = WORDS["cpu" if judged.clock == "cpu" else judged.claim]
    of = f" in {_what(judged)}" if judged.claim == "time" and judged.clock != "cpu" else ""
    figures = [quantity(one, judged) for one in (judged.baseline, judged.variant) if one is not None]
    between = f" ({' to '.join(figures)})" if len(figures) == 2 else ""
    return f"{verb} {loss_of(judged) or loss}{of}{between}"


def _loss(run: Run, target: TargetResult, judged: RatioResult) -> str:
    a, b = target.labels.get("baseline", "a"), _b(target)
    delta = run.options.get("delta", 0.01)
    surely = judged.size == "material" or (judged.size is None and _loss_by(judged.high or 1.0) >= delta)
    doubtful = not surely and judged.verdict in WORSE
    more = f"{', most likely by' if doubtful else ' by'} more than {_delta(run.options)}"
    of = f"{_name(target)}: " if ": " in target.target and _name(target) not in (a, b) else ""
    word = judged.verdict if judged.verdict in WORSE else WORDS[judged.claim][2]
    doubt = ", though how much is unstable" if judged.verdict not in WORSE else ""
    return f"{of}{b} is {word} than {a}{more}{f': {_ratio(target)}' if _ratio(target) else ''}{doubt}"


def _b(target: TargetResult) -> str:
    return target.labels.get("b", "b")


def _name(target: TargetResult) -> str:
    """The pair of two revisions; commands are in the labels."""
    name, found, _ = target.target.partition(": ")
    return name if found else target.labels.get("b", target.target)


def _named(run: Run, targets: Sequence[TargetResult]) -> str:
    """The only target of a run by its two sides, several by their names."""
    if len(run.targets) == 1:
        return f"{_sides(targets[0])}: {_said(targets[0])}"
    return ", ".join(f"{_name(target)} {_said(target)}" for target in targets)


def _sides(target: TargetResult) -> str:
    """`bench/sort, HEAD (5e6f7a8b) against main (1a2b3c4d)`"""
    a, b = target.labels.get("baseline", "a"), _b(target)
    of = f"{_name(target)}, " if ": " in target.target and _name(target) not in (a, b) else ""
    return f"{of}{b} against {a}"


def _results(run: Run) -> str:
    if len(run.targets) <= MOST_NAMED:
        return _named(run, run.targets)
    words = Counter(target.verdict or target.status for target in run.targets)
    return f"{len(run.targets)} targets, {', '.join(f'{number} {word}' for word, number in words.items())}"


def _passed(targets: Sequence[TargetResult]) -> str:
    return f"; {len(targets)} passed" if targets else ""


def _said(target: TargetResult) -> str:
    return f"{target.verdict or target.status} {_ratio(target)}".strip()


def _ratio(target: TargetResult) -> str:
    return next((row.ratio for row in target_rows(target)), "")
