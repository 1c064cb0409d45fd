"""A judged ratio as a sentence that can be quoted: "g is 1.94x faster than f (142 µs → 73.5 µs), ..."."""

import math
from collections.abc import Sequence

from perfproof.core.documents import RatioResult, TargetResult
from perfproof.core.ratio_figures import ratio_figures
from perfproof.core.units import percent
from perfproof.report.rows import quantity

BASELINE = "baseline"
LONGEST_HEAD = 20  # characters of a label above a column
LEAST_DIGITS, MOST_DIGITS = 2, 5  # behind the point


def label_of(target: TargetResult, side: str) -> str:
    return target.labels.get(side, side)


def heads(targets: Sequence[TargetResult]) -> tuple[str, str]:
    """What to call the two sides above columns; a and b if their labels are too long for that."""
    found = [tuple(target.labels.values()) for target in targets]
    if not found or len(found[0]) != 2 or len(set(found)) > 1:
        return "baseline", "variant"
    return found[0] if max(map(len, found[0])) <= LONGEST_HEAD else ("a", "b")


def sentence(target: TargetResult, variant: str | None = None) -> str:
    """What was found about a variant (the first one, if none is named), or why there is no result."""
    variant = variant or next(iter(target.ratios), "")
    judged = target.ratios.get(variant)
    if target.status != "ok" or judged is None:
        return f"No result ({target.status})" + (f": {target.reason}" if target.reason else "")
    a, b = label_of(target, BASELINE), label_of(target, variant)
    before, after = (quantity(figure, judged) for figure in ratio_figures(target, variant))
    times = f" ({before} → {after})"
    if judged.ratio is None:
        return f"{b} against {a}: {judged.verdict}."
    if judged.verdict == "same":
        below = f": any difference is below {percent(judged.bound)}" if judged.bound is not None else ""
        return f"{b} {_alike(judged)} {a}{times}{below}."
    if judged.verdict == "inconclusive":
        better = "faster" if judged.claim == "time" else "better"
        return f"It is not decided whether {b} is {better} than {a}{times}{_range(judged)}."
    if judged.verdict == "unstable":
        return f"{b} against {a} is unstable{times}{_range(judged)}."
    if judged.verdict == "indicative":
        return f"{b} {_apart(judged, 'seems to be')} {a}{times}. This is an indication only."
    return f"{b} {_apart(judged, 'is')} {a}{times}{_sure(judged)}."


def checked(target: TargetResult) -> str:
    """What the answers of both sides were held against, and the checks that did not run."""
    if not any(check.name.startswith("matches the reference") for check in target.checks):
        return ""
    alone = any(warning.code == "W114" for warning in target.warnings)
    against = f"those of {label_of(target, BASELINE)}" if alone else "the reference"
    missing = [check.name for check in target.checks if check.result == "not-run"]
    return f"Answers checked against {against}." + (f" Not run: {', '.join(missing)}." if missing else "")


def _apart(judged: RatioResult, verb: str) -> str:
    """ "is 1.94x faster than" and its relatives."""
    value, better = _upwards(judged.ratio), (judged.ratio or 1.0) >= 1
    by = f"{value:.{_digits(judged)}f}x"
    if judged.claim == "time":
        return f"{verb} {by} {'faster' if better else 'slower'} than"
    if judged.claim == "startup":
        return f"{verb} ready {by} {'sooner' if better else 'later'} than"
    if judged.claim == "metric":
        return f"{verb} {by} {'better' if better else 'worse'} in {judged.clock} than"
    needs = "needs" if verb == "is" else "seems to need"
    return f"{needs} {by} {'less' if better else 'more'} {judged.claim} than"


def _alike(judged: RatioResult) -> str:
    if judged.claim == "time":
        return "is as fast as"
    if judged.claim == "startup":
        return "is ready as soon as"
    return f"is as good in {judged.clock} as" if judged.claim == "metric" else f"needs as much {judged.claim} as"


def _sure(judged: RatioResult) -> str:
    """With what confidence, and between which bounds; they are turned round if the ratio is below 1."""
    if judged.low is None or judged.high is None:
        return "" if judged.claim == "memory" else ", without an interval"
    digits, level = _digits(judged), 100 * judged.level
    bounds = (judged.low, judged.high) if (judged.ratio or 1.0) >= 1 else (1 / judged.high, 1 / judged.low)
    return f", {level:.3g} % sure it is between {bounds[0]:.{digits}f}x and {bounds[1]:.{digits}f}x"


def _range(judged: RatioResult) -> str:
    if judged.low is None or judged.high is None:
        return ""
    digits = _digits(judged)
    return f": the ratio is between {judged.low:.{digits}f}x and {judged.high:.{digits}f}x"


def _upwards(ratio: float | None) -> float:
    value = ratio or 1.0
    return value if value >= 1 else 1 / value


def _digits(judged: RatioResult) -> int:
    """As many as the width of the interval needs; three if the ratio is close to 1."""
    usual = 3 if _upwards(judged.ratio) < 1.1 else LEAST_DIGITS
    width = (judged.high or 0.0) - (judged.low or 0.0)
    if not 0 < width < math.inf:
        return usual
    return min(MOST_DIGITS, max(usual, math.ceil(-math.log10(width))))
