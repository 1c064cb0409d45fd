"""What a reader of a result should know: the warnings, each with its code, from what was measured."""

import math

from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.job import Job
from perfproof.bench.sampling import launch_bound
from perfproof.calc.prediction import prediction_of
from perfproof.core import units
from perfproof.core.documents import RatioResult, TargetResult, VariantResult, Warning
from perfproof.core.units import binary_bytes, percent, seconds
from perfproof.stats.quads import BASELINE
from perfproof.stats.units import placement_sensitive

NEAR_FLOOR = 0.05
HOT = 0.05
CUPTI = "CUPTI"
REPEATED_SHARE = 0.01
LEAST_SET_SHARE = 1 / 256  # of the footprint: smaller arguments stay in a cache whatever is done
FAR_BEYOND = 2.0
WAITING = 0.5
CROWDED = 0.2  # of a sample's time, in CPU time of threads that a side started
LONG_FIRST_SECONDS, LONG_FIRST_TIMES = 0.005, 50
UNEVEN_RANKS = 0.1  # of a sample, between its slowest and its fastest rank


def remarks(job: Job, result: TargetResult, found: Comparison, notes: list[str]) -> list[Warning]:
    warnings = [Warning(code=code, text=text) for code, text in job.warnings]

    def warn(code: str, text: str) -> None:
        warnings.append(Warning(code=code, text=text))

    def note(code: str, text: str) -> None:
        warnings.append(Warning(code=code, text=text, kind="note"))

    pool = found.records[0].pool
    if pool["bytes"] < 0.9 * job.footprint and pool["set_bytes"] > LEAST_SET_SHARE * job.footprint:
        held = f"{binary_bytes(pool['bytes'])} of arguments are drawn at once, not {binary_bytes(job.footprint)}"
        warn("W101", f"{held}: caches may hold a part of them")
    for kind in job.variants:
        ratio = result.ratios.get(kind)
        if ratio and placement_sensitive(found.values(kind)):
            warn("W102", f"{kind}: which side is created first moves it by {percent(ratio.slot_effect)}")
        carry = found.carry(kind)
        if carry.notable:
            shift = percent(abs(carry.d or 0.0))
            warn("W103", f"{kind}: switching between the two sides shifts the times by up to {shift}; it is taken off")
        if ratio:
            _of_ratio(kind, ratio, found.invalid_share(kind), warn)
    _waiting(result, warn)
    _crowded(job, found, warn)
    if compiled := sum(record.compiled for record in found.records):
        warn("W136", f"torch.compile made {compiled} graphs after the warm-up, while calls were timed")
    if skipped := max(record.skipped_cuda_graphs for record in found.records):
        warn("W139", f"torch.compile could not record {skipped} CUDA graphs: their kernels are launched one by one")
    if reasons := sorted({reason for record in found.records for reason in record.graph_breaks}):
        warn("W145", f"torch.compile could not make one graph of a function: {'; '.join(reasons)}")
    _floor(result, warn)
    _device(result, found, warn)
    for side, variant in result.variants.items():
        _set_up(result, side, warn)
        if variant.ranks and variant.ranks.spread > UNEVEN_RANKS:
            slowest = f"rank {variant.ranks.straggler} is slowest in {percent(variant.ranks.straggler_share, 0)}"
            warn("W130", f"{side}: ranks differ by {percent(variant.ranks.spread, 0)} of a sample; {slowest} of them")
    if found.why_apart:
        warn("W138", found.why_apart)
    if found.one_launch:
        warn("W105", "one launch: its memory layout is part of the ratio")
    if found.repeated > REPEATED_SHARE:
        warn("W121", f"{percent(found.repeated, 0)} of the calls saw inputs they had seen before")
    if found.alone:
        note("W126", _one_process(found))
    elif found.records[0].is_long:
        note("W126", "calls are long: the baseline had no twin beside it, and each process checked one side's outputs")
    elif found.records[0].has_slow_reference:
        note("W126", "checking an output takes long: each process after the first checked one side's outputs")
    for text in notes:
        warn("W126", text)
    if found.out_of_budget:
        warn("W118", f"the budget ended after {found.launches} launch{'' if found.launches == 1 else 'es'}")
    return warnings


def _one_process(found: Comparison) -> str:
    """What a comparison of slow calls, or of slow preparations, leaves out."""
    if found.job.is_slow:
        return (
            "calls take seconds: a launch had one process and the baseline no twin beside it, and each side's outputs "
            "were checked in two processes"
        )
    return "it takes seconds to get ready: a launch had one process"


def _of_ratio(kind: str, ratio: RatioResult, disturbed: float, warn) -> None:
    if ratio.invalid_quads:
        share = f"{'under 1 %' if disturbed < 0.01 else percent(disturbed, 0)} of the samples were disturbed"
        used = f"{ratio.quads - ratio.invalid_quads} of {ratio.quads} groups of samples could be used"
        warn("W109", f"{kind}: {used}: {share}, and each spoils its group")
    if ratio.modes:
        groups = ", ".join(f"{mode.launches} at {mode.ratio:.3g}x" for mode in ratio.modes)
        what = "couples of processes" if ratio.launches == 1 else "launches"
        warn("W111", f"{kind}: {what} fall into groups: {groups}")


def note_prediction(result: TargetResult) -> None:
    """After the ceilings are known, which say what binds: is a ratio far beyond what the pair itself predicts?"""
    for kind, ratio in result.ratios.items():
        predicted = prediction_of(result, kind)
        if ratio.claim == "time" and predicted and ratio.low and ratio.low > FAR_BEYOND * predicted.ratio:
            text = f"{kind}: {units.ratio(ratio.ratio)} measured, {predicted.words} predicted by the pair's own count"
            result.warnings.append(Warning(code="W128", text=text))


def _waiting(result: TargetResult, warn) -> None:
    """A baseline that waits instead of working is no measure of work."""
    share = result.variants[BASELINE].cpu_share
    if share is not None and share < WAITING:
        warn("W127", f"the baseline waits: its calls use the CPU for {percent(share, 0)} of their time")


def _crowded(job: Job, found: Comparison, warn) -> None:
    """Threads and processes that a side starts itself share the cores that the worker is bound to."""
    cores = f"{len(job.cpus)} core{'s' if len(job.cpus) > 1 else ''}"
    for side in (BASELINE, *job.variants):
        rows = [row for record in found.records for row in record.rows if row["side"] == side]
        wall = math.fsum(row["end_ns"] - row["start_ns"] for row in rows) * 1e-9
        share = math.fsum(row["foreign_seconds"] for row in rows) / wall if wall else 0.0
        if share > CROWDED and job.ranks == 1:
            warn("W137", f"{side}: its own threads do {percent(share, 0)} of a core's work on {cores}")
    if processes := max(record.processes for record in found.records):
        warn("W137", f"{processes} processes that the sides started share {cores} with them")


def _set_up(result: TargetResult, side: str, warn) -> None:
    """Preparation and what the first call sets up: how many calls until a variant has paid for it."""
    variant, baseline = result.variants[side], result.variants[BASELINE]
    usual = next(iter(variant.times.values()))
    first = variant.first_call_seconds or 0.0
    if first > LONG_FIRST_SECONDS and first > LONG_FIRST_TIMES * usual:
        warn("W129", f"{side}: the first call takes {seconds(first)} longer than a later one; it is not in the times")
    saved = next(iter(baseline.times.values())) - usual
    extra = _before_first(variant) - _before_first(baseline)
    if side != BASELINE and extra > 0 and saved > 0 and extra / saved > 1000:
        warn("W113", f"{side}: set-up takes {seconds(extra)} longer, paid back after {extra / saved:,.0f} calls")


def _before_first(variant: VariantResult) -> float:
    return (variant.setup_seconds or 0.0) + (variant.first_call_seconds or 0.0)


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
            warn(
                "W161", f"{side}: {seconds(variant.hot_seconds)} per call on hot caches, {seconds(judged)} on cold ones"
            )
    for kind in found.job.variants:
        cycles = found.in_cycles(kind)
        if cycles is not None:
            clocks = [f"{(result.variants[side].clock_hz or 0) / 1e9:.2f}" for side in (BASELINE, kind)]
            warn(
                "W162",
                f"{kind}: the clock was {clocks[0]} and {clocks[1]} GHz: {math.exp(cycles.theta):.3f}x in cycles",
            )
    if found.job.clock == "kernel" and result.kernel_clock != CUPTI:
        warn("W163", f"the kernel clock is {result.kernel_clock}")


def _floor(result: TargetResult, warn) -> None:
    fastest = min(next(iter(variant.times.values())) for variant in result.variants.values())
    floor = result.floor_seconds or 0.0
    if floor > NEAR_FLOOR * fastest:
        warn(
            "W104", f"an empty body takes {seconds(floor)} per call, {percent(floor / fastest, 0)} of the fastest side"
        )
