"""Latency is not hidden because too few warps fit on a multiprocessor; the resource that limits them is named."""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.speed_of_light import CHEAPEST, NEEDS_ARITHMETIC, NEEDS_DRAM, NEEDS_ISSUE, speed_of_light
from perfproof.diagnose.wording import percent

LOW = 0.30  # of the warps that a multiprocessor can hold; alone it is no fault: matrix kernels run well at 12-25 %
ACHIEVED = "sm__warps_active.avg.pct_of_peak_sustained_active"
POSSIBLE = "sm__maximum_warps_per_active_cycle_pct"  # comes with every page; no more can have been active
LIMIT = "launch__occupancy_limit_{}"
LIMITS = {
    "registers": "registers",
    "shared_mem": "shared memory",
    "warps": "the block's size",
    "blocks": "the number of blocks that fit",
    "barriers": "barriers",
}
NEEDS = (NEEDS_DRAM, NEEDS_ARITHMETIC, NEEDS_ISSUE, (ACHIEVED, POSSIBLE), tuple(map(LIMIT.format, LIMITS)))


def find(evidence: Evidence) -> Finding | Abstained | None:
    return counted.find(
        evidence, "low_occupancy", CHEAPEST, judge, NEEDS,
        title="too few warps to hide latency",
        advice="give back what limits: smaller tiles or __launch_bounds__ for registers, less shared memory",
        experiment="perfproof profile --metrics LAUNCH",
        refuted_by="with more warps resident the kernel takes as long",
    )  # fmt: skip


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    bound, achieved = speed_of_light(kernel).latency_bound, kernel.value(ACHIEVED)
    possible = kernel.value(POSSIBLE)
    if achieved is None and possible is not None and possible < LOW:
        achieved = possible
    limits = {name: blocks for name in LIMITS if (blocks := kernel.value(LIMIT.format(name))) is not None}
    if bound is False:
        return None
    if bound is None or achieved is None or not limits:
        return "missing"
    if achieved >= LOW:
        return None
    least = min(limits, key=lambda each: limits[each])
    text = (
        f"{percent(achieved)} of the warps that could be active, nothing else is busy; {LIMITS[least]} allow "
        f"{limits[least]:.0f} blocks on a multiprocessor"
    )
    return Hit(
        kernel, 1 - speed_of_light(kernel).highest, text, {"occupancy": achieved, f"limit_{least}": limits[least]}
    )
