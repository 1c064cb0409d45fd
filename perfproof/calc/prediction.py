"""The ratio that a pair's `cost` predicts, before anything is measured.

A side takes as long as its longest part: bytes at the memory's rate, operations at theirs, launches at what each costs.
So the prediction is the ratio of what binds, and it is named with it: "1.67x bytes", "40.0x launches".
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from perfproof.calc.light import Fastest
from perfproof.core import units
from perfproof.core.documents import TargetResult

BASELINE = "baseline"
RESOURCES = {"memory": "bytes", "compute": "flops", "launches": "launches"}  # what binds a side -> what is counted
LAUNCH_SECONDS = 5e-6  # of one kernel on a GPU: an empty one of 500 in a row takes 5.3 µs on an H200

Sides = tuple[Fastest, Fastest]  # the fastest times of baseline and variant, by bytes and operations


@dataclass(frozen=True)
class Prediction:
    ratio: float  # the largest of all counts, if it is not known what binds
    words: str


def predict(
    cost: Mapping[str, float], variant: str, sides: Sides | None = None, launch_seconds: float | None = None
) -> Prediction | None:
    """`predicted_<variant>` if the pair gives one, else the ratio of what binds; None if the pair counts nothing.

    If it is not known what binds, a pair that counts launches on both sides says that they do. Otherwise every count
    that differs is named.
    """
    own = cost.get(f"predicted_{variant}")
    if own is not None and math.isfinite(own) and own > 0:
        return Prediction(own, units.ratio(own))
    ratios = {unit: ratio for unit in RESOURCES.values() if (ratio := _count_ratio(cost, variant, unit)) is not None}
    changed = {unit: ratio for unit, ratio in ratios.items() if ratio != 1}
    if "launches" in changed and (sides is None or launch_seconds is None):
        return Prediction(ratios["launches"], f"{units.ratio(ratios['launches'])} launches")
    if sides is not None and (bound := _bound_ratio(cost, variant, ratios, sides, launch_seconds or 0.0)):
        return bound
    if not changed:
        return Prediction(1.0, "the same work") if ratios else None
    return Prediction(max(ratios.values()), ", ".join(f"{units.ratio(one)} {unit}" for unit, one in changed.items()))


def prediction_of(target: TargetResult, variant: str) -> Prediction | None:
    """For a measured target: what binds each side is in its document, if the ceilings of its machine are known."""
    lights = [side.light for name in (BASELINE, variant) if (side := target.variants.get(name)) and side.light]
    found = [
        Fastest(light.fastest_seconds, light.bound, light.ceiling)
        for light in lights
        if light.fastest_seconds and light.bound in RESOURCES
    ]
    sides = (found[0], found[1]) if len(found) == 2 else None
    return predict(target.cost, variant, sides, LAUNCH_SECONDS if target.device.startswith("cuda") else None)


def _bound_ratio(
    cost: Mapping[str, float], variant: str, ratios: Mapping[str, float], sides: Sides, launch_seconds: float
) -> Prediction | None:
    """None for the same work at the same rate."""
    before, after = (
        _or_launches(side, (_counted(cost, name, "launches") or 0.0) * launch_seconds)
        for side, name in zip(sides, (BASELINE, variant), strict=True)
    )
    resources = [RESOURCES[side.bound] for side in (before, after)]
    ratio = before.seconds / after.seconds
    if resources[0] == resources[1] != "flops":  # the rate of operations depends on their precision, the others do not
        ratio = ratios.get(resources[0], ratio)
    if math.isclose(ratio, 1.0, rel_tol=1e-9):
        return None
    return Prediction(ratio, f"{units.ratio(ratio)} {' to '.join(dict.fromkeys(resources))}")


def _or_launches(side: Fastest, seconds: float) -> Fastest:
    return Fastest(seconds, "launches", "") if seconds > side.seconds else side


def _count_ratio(cost: Mapping[str, float], variant: str, unit: str) -> float | None:
    before, after = (_counted(cost, side, unit) for side in (BASELINE, variant))
    return None if before is None or after is None else before / after


def _counted(cost: Mapping[str, float], side: str, unit: str) -> float | None:
    """None for what a ratio cannot be made of."""
    value = cost.get(f"{side}_{unit}", cost.get(unit))
    return value if value is not None and math.isfinite(value) and value > 0 else None
