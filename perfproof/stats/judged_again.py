"""A stored result judged by another delta.

The interval and its level stay what they are, and so does every doubt about the measurement: `unstable` and
`indicative` do not depend on delta. What depends on it is whether an interval around 1 is `same` or `inconclusive`, and
whether a difference is large enough to matter.
"""

import math
from dataclasses import replace

from perfproof.core.documents import RatioResult
from perfproof.stats.judgement import Judgement
from perfproof.stats.units import Interval, interval
from perfproof.stats.verdicts import conclude

NOT_OFFERED = "`same` is not offered"
OPEN = {"same", "inconclusive"}


def with_delta(judged: RatioResult, delta: float) -> RatioResult:
    """The result as if this delta had been given; without an interval or a band only exact memory has new words."""
    again = judged.model_copy(update={"delta": delta})
    if judged.verdict in ("unstable", "indicative") or judged.ratio is None or judged.beta is None:
        return again
    if judged.low is None or judged.high is None:
        return again.model_copy(update=_exact(judged, delta))
    if judged.verdict not in OPEN:
        return again.model_copy(update={"size": _size(judged, delta)})
    estimate, bias = _interval(judged)
    found = conclude(Judgement("indicative", level=judged.level), estimate, judged.beta, delta, bias)
    more = found.more_launches if judged.units else None
    kept = [part for part in judged.note.split("; ") if part and not part.startswith(NOT_OFFERED)]
    return again.model_copy(
        update={
            "verdict": found.verdict if found.verdict in OPEN else judged.verdict,
            "bound": found.bound,
            "more_launches": more,
            "more_seconds": _seconds(judged, more),
            "note": "; ".join([*kept, *filter(None, [found.note])]),
        }
    )


def _interval(judged: RatioResult) -> tuple[Interval, float]:
    """The interval as it was judged, and what it is wider by than its units make it."""
    assert judged.ratio and judged.low and judged.high
    low, high = math.log(judged.low), math.log(judged.high)
    half_width = (high - low) / 2
    if not judged.units:
        return Interval(math.log(judged.ratio), low, high, half_width, None, judged.launches), 0.0
    plain = interval(judged.units, judged.level)
    return replace(plain, low=low, high=high, half_width=half_width), half_width - (plain.half_width or 0.0)


def _size(judged: RatioResult, delta: float) -> str:
    """Is the difference surely beyond delta, surely below it, or unclear?"""
    assert judged.low and judged.high
    ends = sorted(abs(math.log(end)) for end in (judged.low, judged.high))
    return "material" if ends[0] >= delta else "small" if ends[1] < delta else "unclear"


def _exact(judged: RatioResult, delta: float) -> dict[str, str]:
    """Memory that every process agreed on: there is a difference, and it matters or not."""
    assert judged.ratio
    small = abs(math.log(judged.ratio)) < delta
    if judged.verdict in OPEN:
        return {"verdict": "same" if small else "inconclusive"}
    return {"size": "small" if small else "material"}


def _seconds(judged: RatioResult, more: int | None) -> float | None:
    """As long per launch as before, if that is known."""
    if not more or not judged.more_launches or judged.more_seconds is None:
        return None
    return more * judged.more_seconds / judged.more_launches
