"""The two figures behind a ratio: seconds per call, bytes, joules or a metric of the baseline and of the variant.

A ratio's own figures divide to it. A document from before they were stored has only those of its sides, which need not.
"""

import math

from perfproof.core.documents import RatioResult, TargetResult, VariantResult

BASELINE = "baseline"
IDENTICAL = "identical in all runs"  # how the note begins about a metric that has one value in every run of both sides

Figures = tuple[float | None, float | None]


def ratio_figures(target: TargetResult, variant: str, judged: RatioResult | None = None) -> Figures:
    """(baseline, variant) of a variant's ratio, or of another ratio of the same runs."""
    judged = judged or target.ratios[variant]
    if has_figures(judged):
        return judged.baseline, judged.variant
    sides = (target.variants.get(name) for name in (BASELINE, variant))
    before, after = (side_figure(side, judged) if side else None for side in sides)
    return before, after


def has_figures(judged: RatioResult) -> bool:
    return judged.baseline is not None and judged.variant is not None


def side_figure(side: VariantResult, judged: RatioResult) -> float | None:
    """What a side's own result says about the quantity of a ratio."""
    if judged.claim == "memory":
        return side.memory.peak_bytes if side.memory else None
    if judged.claim == "energy":
        return side.energy_joules
    if judged.claim == "startup":
        return side.startup_seconds
    if judged.claim == "metric":
        return side.metrics.get(judged.clock)
    return side.times.get(judged.clock)


def identical_text(judged: RatioResult) -> str:
    """`identical in all runs: 2.4542856979` for such a metric; empty for any other quantity."""
    parts = judged.note.split("; ") if judged.claim == "metric" else []
    return next((part for part in parts if part.startswith(f"{IDENTICAL}: ")), "")


def seconds_of(target: TargetResult, side: str, variant: str | None = None) -> float | None:
    """Seconds per call of a side by the clock of the verdict; the baseline's as measured beside `variant`.

    Without a variant the baseline is the one beside the first. A claim that is not about time has the side's own time.
    """
    beside = (variant or next(iter(target.ratios), "")) if side == BASELINE else side
    judged = target.ratios.get(beside)
    if judged is not None and judged.claim == "time" and has_figures(judged):
        return judged.baseline if side == BASELINE else judged.variant
    own = target.variants.get(side)
    return next((time for time in own.times.values() if math.isfinite(time)), None) if own else None
