"""A result as one plain sentence: how much faster, how sure, and whether the answers were checked."""

import math

from perfproof.core import units
from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.other_work import is_other_work
from perfproof.core.ratio_figures import BASELINE, identical_text, ratio_figures
from perfproof.report.alone import timed_alone
from perfproof.report.judged_quantity import name_of
from perfproof.report.labels import common_labels, label_of, variant_of
from perfproof.report.rows import (
    Row,
    bound_text,
    is_exact,
    modes_text,
    one_line,
    quantity,
    ratio_decimals,
    target_rows,
)

WORDS = {  # of a claim: what comes before the factor and after it, for a gain and for a loss
    "time": ("is", "faster", "slower"),
    "memory": ("needs", "less memory", "more memory"),
    "energy": ("uses", "less energy", "more energy"),
    "startup": ("starts", "faster", "slower"),
    "metric": ("is", "better", "worse"),
    "cpu": ("needs", "less CPU time", "more CPU time"),
}
DECIDED = ("faster", "slower", "same")
NARROW = 0.05  # an interval within it around 1 holds no change that anyone has to be warned of
SEEMS = {"is": "seems", "needs": "seems to need", "uses": "seems to use", "starts": "seems to start"}
ANSWERS = ("matches the reference", "distribution at")  # checks of what a side returns
ACROSS = "matches the other side"  # of two revisions or environments without a reference
MAY_DIFFER = "--output-may-differ"


def sentences_of(run: Run) -> list[str]:
    """One for each variant that has a verdict, and for each program that was timed alone."""
    return [
        sentence(target, row, _pair_of(run, target))
        for target in run.targets
        for row in target_rows(target)
        if row.variant in target.ratios or target.is_alone
    ]


def outcomes_of(run: Run) -> list[str]:
    """One for each variant, and one for each target that has none."""
    return [sentence(target, row, _pair_of(run, target)) for target in run.targets for row in target_rows(target)]


def _pair_of(run: Run, target: TargetResult) -> str:
    """`bench/sort: `, of one of several pairs at two revisions: their sides are called alike."""
    name, found, _ = target.target.partition(": ")
    return f"{name}: " if found and common_labels(run.targets) else ""


def sentence(target: TargetResult, row: Row, pair: str = "") -> str:
    """`ch01:x: optimized is 1.94x faster than baseline (142 µs → 73.5 µs), 97 % interval 1.92x to 1.96x.`"""
    if target.is_alone:
        return timed_alone(target)
    if row.variant not in target.ratios:
        return f"{target.target}: {row.word}{f': {one_line(target.reason)}' if target.reason else ''}"
    name = pair if target.labels else f"{target.target}: "  # labels say what is compared
    return f"{name}{conclusion(target, row.variant)}"


def conclusion(target: TargetResult, variant: str) -> str:
    """The sentence without the target's name, or why there is no result."""
    judged = target.ratios.get(variant)
    if target.status != "ok" or judged is None:
        return f"No result ({target.status})" + (f": {one_line(target.reason)}" if target.reason else "")
    if is_other_work(target):
        sides = f"{label_of(target, variant)} beside {label_of(target, BASELINE)}{_figures(target, variant, judged)}"
        return f"{sides}: other work, not judged, because the two print different things."
    said = _conclusion(target, variant, judged)
    return (
        f"{said}{'' if said.endswith('.') else '.'}{_by_cpu(target, judged)}{_answers(target, variant)}{_again(target)}"
    )


def _conclusion(target: TargetResult, variant: str, judged: RatioResult) -> str:
    baseline, side = label_of(target, BASELINE), label_of(target, variant)
    note = one_line(judged.note).rstrip(".")
    if judged.verdict == "same" and (identical := identical_text(judged)):
        return f"no difference in {name_of(judged)} between {side} and {baseline}: {identical}"
    if judged.ratio is None or judged.ratio <= 0:
        return f"{side} has no ratio to {baseline}{f': {note}' if note else ''}"
    figures = _figures(target, variant, judged)
    if judged.verdict == "same":
        bound = bound_text(judged)
        of = f" in {name_of(judged)}" if name_of(judged) else ""
        return f"no difference{of} between {side} and {baseline}{figures}{bound and f': {bound}'}"
    if judged.verdict == "unstable":
        of = f" of {name_of(judged)}" if name_of(judged) else ""
        return f"{side} has no stable ratio{of} to {baseline}{figures}: {modes_text(judged) or note or 'it varies'}"
    verb, gain, loss = _words(judged)
    if judged.verdict == "inconclusive" or (judged.verdict == "indicative" and _holds_one(judged)):
        more = f" ({note})" if note and judged.verdict == "indicative" else ""
        if _is_near_one(judged):
            of = f" in {name_of(judged)}" if name_of(judged) else ""
            wider = _wider(judged) if judged.verdict == "inconclusive" else ""
            return f"no clear difference{of} between {side} and {baseline}{figures}{_open_range(judged)}{more}{wider}"
        doubt = f"it is unclear whether {side} {verb} {gain}{_in_what(judged)} than {baseline}"
        return f"{doubt}{figures}{_open_range(judged)}{more}"
    factor, span = _factor(judged)
    amount = f"{factor} {gain if judged.ratio >= 1 else loss}{_in_what(judged)}"
    if judged.verdict == "indicative":
        hint = f"a hint only{f' ({note})' if note else ''}"
        if float(factor[:-1]) == 1:  # 1.000x is neither
            return f"{side} seems no different from {baseline}{figures}{span}: {hint}"
        return f"{side} {SEEMS[verb]} {amount} than {baseline}{figures}{span}: {hint}"
    if is_exact(target, variant, judged):
        span = ", the same in every process"
    small = (
        f"; that is below --delta ({units.percent(judged.delta)}), so it does not matter" if _is_small(judged) else ""
    )
    return f"{side} {verb} {amount} than {baseline}{figures}{span}{small}"


def loss_of(judged: RatioResult) -> str:
    """`1.19x slower` for a ratio of 0.84x; empty from 1x on."""
    if not judged.ratio or not 0 < judged.ratio < 1:
        return ""
    return f"{_factor(judged)[0]} {_words(judged)[2]}"


def _words(judged: RatioResult) -> tuple[str, str, str]:
    return WORDS["cpu" if (judged.claim, judged.clock) == ("time", "cpu") else judged.claim]


def _in_what(judged: RatioResult) -> str:
    """` in latency`: what the words of the claim do not say."""
    named = judged.claim == "metric" or (judged.claim == "time" and judged.clock != "cpu")
    return f" in {name_of(judged)}" if named and name_of(judged) else ""


def _figures(target: TargetResult, variant: str, judged: RatioResult) -> str:
    before, after = (quantity(value, judged) for value in ratio_figures(target, variant))
    return "" if "–" in (before, after) else f" ({before} → {after})"


def _factor(judged: RatioResult) -> tuple[str, str]:
    """How many times, above 1 in either direction; and how sure that is."""
    assert judged.ratio
    ratio, low, high = judged.ratio, judged.low, judged.high
    if ratio < 1:
        ratio, low, high = 1 / ratio, _inverse(judged.high), _inverse(judged.low)
    decimals = ratio_decimals(ratio, low, high)
    if low is None or high is None:
        return f"{ratio:.{decimals}f}x", ", no interval"
    return (
        f"{ratio:.{decimals}f}x",
        f", {_level(judged)} % interval {low:.{decimals}f}x to {high:.{decimals}f}x{_within(judged)}",
    )


def _open_range(judged: RatioResult) -> str:
    """What an interval that decides nothing still says."""
    if not judged.low or judged.high is None:
        return ""
    _, gain, loss = _words(judged)
    decimals = ratio_decimals(judged.ratio or 1.0, judged.low, judged.high)

    def end(value: float) -> str:
        change = max(value, 1 / value)
        amount = units.percent(change - 1) if _is_near_one(judged) else f"{change:.{decimals}f}x"
        return f"{amount} {gain if value >= 1 else loss}"

    return f", {_level(judged)} % interval {end(judged.low)} to {end(judged.high)}{_within(judged)}"


def _wider(judged: RatioResult) -> str:
    """What the interval excludes already, and the --delta that would call it the same."""
    if not judged.low or not judged.high:
        return ""
    most = math.expm1(max(abs(math.log(judged.low)), abs(math.log(judged.high))) + (judged.beta or 0.0))
    enough = math.ceil(200 * most) / 2  # per cent, in halves
    excluded = f"with the systematic band more than {units.percent(most)} is excluded"
    return f"; {excluded}: --delta {enough:g}% would call it the same"


def _within(judged: RatioResult) -> str:
    """The interval of a quick run leaves out what differs between launches."""
    return " within one launch" if judged.launches == 1 and judged.claim == "time" else ""


def largest_loss(judged: RatioResult) -> float:
    """The worst that the interval allows, as a share: 0.015 is 1.5 % slower; infinite without an interval."""
    return max(0.0, 1 / judged.low - 1) if judged.low else math.inf


def _is_near_one(judged: RatioResult) -> bool:
    return _holds_one(judged) and largest_loss(judged) <= NARROW and (judged.high or math.inf) - 1 <= NARROW


def _holds_one(judged: RatioResult) -> bool:
    """Both directions are possible."""
    return judged.low is not None and judged.high is not None and judged.low < 1 < judged.high


def _answers(target: TargetResult, variant: str) -> str:
    if printed := prints(target):
        return f" {printed[0].upper()}{printed[1:]}."
    checked = any(check.result == "pass" and check.name.startswith(ANSWERS) for check in target.checks)
    if any(check.name == ACROSS and check.detail.startswith(MAY_DIFFER) for check in target.checks):
        own = checked and not any(said.code == "W114" for said in target.warnings)
        how = "each side was checked against its own reference, and " if own else ""
        return f" Answers may differ ({MAY_DIFFER}): {how}the two were not compared."
    if not checked or any(check.name == ACROSS and check.result != "pass" for check in target.checks):
        return ""
    alone = any(said.code == "W114" for said in target.warnings)
    oracle = f"those of {label_of(target, BASELINE)}" if target.labels else f"the {BASELINE}"
    against = f" against {oracle}" if alone else ""
    elsewhere = [variant_of(target, said.text) for said in target.warnings if said.code == "W147"]
    if any(named in (variant, "") for named in elsewhere):
        return f" Answers checked{against} for values as they are drawn; for others they differ: see W147."
    return f" Answers checked{against}."


def _again(target: TargetResult) -> str:
    """A result that is not that of the saved run says so."""
    said = next((one.text for one in target.warnings if one.code == "W149"), "").partition(";")[0]
    return f" {said[0].upper()}{said[1:]}." if said else ""


def _by_cpu(target: TargetResult, judged: RatioResult) -> str:
    """Where the time by the clock decides nothing, CPU time may: other work disturbs it less."""
    one = target.also.get("cpu")
    if judged.verdict not in ("inconclusive", "unstable") or one is None or one.verdict not in DECIDED or not one.ratio:
        return ""
    amount = "" if one.verdict == "same" else f"{_factor(one)[0]} "
    return f" By CPU time it is {amount}{'the ' if one.verdict == 'same' else ''}{one.verdict} (--judge cpu)."


def prints(target: TargetResult) -> str:
    """Do two programs print the same? Empty where it is not known."""
    if any(said.code == "W140" and "print different things" in said.text for said in target.warnings):
        return "but the two print different things"
    same = target.program.get("outputs") == "equal" and target.program.get("prints", True)
    return "both print the same" if same else ""


def _is_small(judged: RatioResult) -> bool:
    return judged.size == "small" and judged.delta is not None


def _inverse(value: float | None) -> float | None:
    return None if value is None else 1 / value if value else math.inf


def _level(judged: RatioResult) -> str:
    return f"{100 * judged.level:.3g}"
