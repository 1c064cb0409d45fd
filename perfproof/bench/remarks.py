"""What a reader of a result should know: the warnings, each with its code, from what was measured."""

import math

from perfproof.bench.comparison import Comparison
from perfproof.bench.job import Job
from perfproof.bench.sampling import launch_bound
from perfproof.core.documents import TargetResult, Warning
from perfproof.core.units import binary_bytes, percent, seconds
from perfproof.stats.quads import BASELINE
from perfproof.stats.units import placement_sensitive

NEAR_FLOOR = 0.05
HOT = 0.05
CUPTI = "CUPTI"
REPEATED_SHARE = 0.01
UNEVEN_RANKS = 0.1  # of a sample, between its slowest and its fastest rank


def remarks(job: Job, result: TargetResult, found: Comparison, rungs: list[Comparison]) -> list[Warning]:
    warnings = [Warning(code=code, text=text) for code, text in job.warnings]

    def warn(code: str, text: str) -> None:
        warnings.append(Warning(code=code, text=text))

    pool = found.records[0].pool
    if pool["bytes"] < 0.9 * job.footprint and max(record.turns for record in found.records) > 2:
        warn("W101", f"calls rotate over {binary_bytes(pool['bytes'])} of arguments, not {binary_bytes(job.footprint)}")
    for kind in job.variants:
        ratio = result.ratios.get(kind)
        if ratio and placement_sensitive(found.values(kind)):
            warn("W102", f"{kind}: which side is created first moves it by {percent(ratio.slot_effect)}")
        carry = rungs[0].carry(kind)
        if carry.significant:
            warn(
                "W103",
                f"{kind}: a switch costs the sides differently by {percent(carry.d)}; judged on rung {found.rung.name}",
            )
        _preparation(result, kind, warn)
        if ratio and ratio.invalid_quads:
            warn("W109", f"{kind}: {ratio.invalid_quads} of {ratio.quads} quads left out as disturbed")
        if ratio and ratio.modes:
            groups = ", ".join(f"{mode.launches} at {mode.ratio:.3g}x" for mode in ratio.modes)
            warn("W111", f"{kind}: launches fall into groups: {groups}")
    _floor(job, result, warn)
    _device(result, found, warn)
    for side, variant in result.variants.items():
        if variant.ranks and variant.ranks.spread > UNEVEN_RANKS:
            slowest = f"rank {variant.ranks.straggler} is slowest in {percent(variant.ranks.straggler_share, 0)}"
            warn("W130", f"{side}: ranks differ by {percent(variant.ranks.spread, 0)} of a sample; {slowest} of them")
    if found.one_launch:
        warn("W105", "one launch: its memory layout is part of the ratio")
    if pool["renewal"] != "drawn anew":
        warn("W110", f"drawing inputs anew would take longer than the calls: values were {pool['renewal']}")
    repeated = max(record.repeated for record in found.records)
    if repeated > REPEATED_SHARE:
        warn(
            "W121",
            f"{percent(repeated, 0)} of the calls saw values once more: a call is shorter than renewing its arguments",
        )
    if found.out_of_budget:
        warn("W118", f"the budget ended after {found.launches} launches")
    return warnings


def _preparation(result: TargetResult, kind: str, warn) -> None:
    """How many calls until a preparation has paid for itself."""
    variant, baseline = result.variants[kind], result.variants[BASELINE]
    saved = next(iter(baseline.times.values())) - next(iter(variant.times.values()))
    extra = (variant.setup_seconds or 0.0) - (baseline.setup_seconds or 0.0)
    if extra > 0 and saved > 0 and extra / saved > 1000:
        warn("W113", f"{kind}: preparation takes {seconds(extra)}, paid back after {extra / saved:,.0f} calls")


def _device(result: TargetResult, found: Comparison, warn) -> None:
    """What a GPU's clocks say: who waits for whom, at which clock, hot or cold."""
    first = found.records[0]
    for side in (BASELINE, *found.job.variants):
        variant = result.variants[side]
        if launch_bound(first, side):
            queued, busy = seconds(first.enqueue_seconds[side]), seconds(first.held_seconds[side])
            warn(
                "W160", f"{side} is launch-bound: the host needs {queued} to queue a call, the device {busy} to run it"
            )
        elif first.waits.get(side) and found.job.clock == "call":
            warn("W164", f"{side} waits for the device in every call")
        judged = variant.times.get(found.job.clock)
        if variant.hot_seconds and judged and found.job.clock == "call" and variant.hot_seconds < (1 - HOT) * judged:
            warn("W161", f"{side}: {seconds(variant.hot_seconds)} a call on hot caches, {seconds(judged)} on cold ones")
    for kind in found.job.variants:
        theta = found.in_cycles(kind)
        if theta is not None:
            clocks = [f"{(result.variants[side].clock_hz or 0) / 1e9:.2f}" for side in (BASELINE, kind)]
            warn("W162", f"{kind}: the clock was {clocks[0]} and {clocks[1]} GHz: {math.exp(theta):.3f}x in cycles")
    if found.job.clock == "kernel" and result.kernel_clock != CUPTI:
        warn("W163", f"the kernel clock is {result.kernel_clock}")


def _floor(job: Job, result: TargetResult, warn) -> None:
    fastest = min(next(iter(variant.times.values())) for variant in result.variants.values())
    floor = result.floor_seconds or 0.0
    if floor > NEAR_FLOOR * fastest:
        warn("W104", f"an empty body takes {seconds(floor)} a call, {percent(floor / fastest, 0)} of the fastest side")
