"""Points of a roofline without any counter: a saved run's times and what its pairs declare in `cost`.

`cost` counts the operations and the bytes that must be moved (inputs once, outputs once), so the intensity is an upper
bound and the point is labelled "model". Each side of a pair is a point.
"""

import math

from perfproof.calc.roofline import dtype_name
from perfproof.core.documents import Run, TargetResult
from perfproof.core.ratio_figures import seconds_of
from perfproof.core.roofline import Kernel

CLOCKS = ("kernel", "call", "latency")  # the one that holds least besides the work first
BASELINE = "baseline"


def kernels_of(run: Run, dtype: str = "") -> tuple[list[Kernel], dict[str, str]]:
    """The points of every measured target, and why the others have none; `dtype` is that of pairs that name none."""
    kernels: list[Kernel] = []
    without: dict[str, str] = {}
    for target in run.targets:
        why = why_none(target)
        if why:
            without[target.target] = why
        else:
            kernels += [point(target, variant, dtype) for variant in target.variants]
    return kernels, without


def why_none(target: TargetResult) -> str:
    if target.status != "ok":
        return f"it was {target.status}"
    if not any(name == "bytes" or name.endswith("_bytes") for name in target.cost):
        return "its `cost` declares no bytes"
    return ""


def declared(cost: dict[str, float], variant: str, unit: str) -> float | None:
    """What the pair says of this side; None where it says nothing, or nothing that can be counted."""
    value = cost.get(f"{variant}_{unit}", cost.get(unit))
    return value if value is not None and math.isfinite(value) and value >= 0 else None


def point(target: TargetResult, variant: str, dtype: str = "") -> Kernel:
    """One side: its time, its declared work and traffic."""
    times = target.variants[variant].times
    clock = next((name for name in CLOCKS if name in times), "")
    judged = target.ratios.get(variant) or next(iter(target.ratios.values()), None)
    seconds = seconds_of(target, variant) if judged and judged.clock == clock else times.get(clock)
    flops, moved = (declared(target.cost, variant, unit) for unit in ("flops", "bytes"))
    missing = {}
    if not seconds:
        seconds, missing["time"] = None, "the run has none"
    if flops is None:
        missing["flops"] = "not in `cost`"
    if moved is None:
        missing["DRAM bytes"] = "not in `cost`"
    used = dtype_name(str(target.sizes.get("dtype") or dtype))
    notes = [] if used or not flops else ["dtype unknown: held against the fastest compute roof"]
    return Kernel(
        name=f"{target.target} {variant}",
        label=target.target if variant == "optimized" else f"{target.target} {variant.removeprefix('optimized_')}",
        source="model",
        group=target.target,
        variant=variant,
        seconds=seconds,
        flops=flops,
        work={used: flops} if flops else {},
        bytes={} if moved is None else {"DRAM": moved},
        unknown=missing,
        notes=notes,
    )
