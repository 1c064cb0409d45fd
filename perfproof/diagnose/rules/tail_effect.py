"""The last wave of blocks leaves multiprocessors without work, or there are fewer blocks than multiprocessors.

Below one wave every block runs at once. Multiprocessors are without work then only if there are fewer blocks than there
are of them: 200 blocks on 132 are 0.19 waves where eight fit on each, and none is without one.
"""

import math
from collections import defaultdict
from typing import Literal

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof, ShareOf
from perfproof.core.events import Kind
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.speed_of_light import speed_of_light
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, short
from perfproof.profile.breakdown import is_communication

EFFICIENT = 0.8  # waves over whole waves
FEW_WAVES = 4  # with more, the last one hardly counts
WAVES, GRID = "launch__waves_per_multiprocessor", "launch__grid_size"
SM_COUNTS = ("launch__sm_count", "device__attribute_multiprocessor_count")
BLOCKS_PER_SM = "blocks per SM"  # as torch writes it: blocks of the grid over multiprocessors
MATTERS, MATTERS_MUCH = 0.10, 0.30  # of the step, from a trace alone
SHOWN = 3
LONG_NS = 5_000  # a shorter kernel is a matter of small_kernels


def find(evidence: Evidence) -> Finding | Abstained | None:
    hits = counted.look(evidence, "tail_effect", "LAUNCH", judge, ((WAVES,), (GRID,), SM_COUNTS))
    if isinstance(hits, Abstained):
        return _from_traces(evidence, hits)
    if hits is None:
        return None
    return _finding(counted.proofs(hits), counted.saved(hits), counted.confidence(hits), counted.share_of(evidence))


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    waves, grid, sms = kernel.value(WAVES), kernel.value(GRID), kernel.value(*SM_COUNTS)
    if grid is not None and sms and grid < sms:
        text = f"{grid:.0f} blocks for {sms:.0f} multiprocessors"
        return Hit(kernel, _saves(kernel, grid / sms), text, {"blocks": grid, "multiprocessors": sms})
    if waves is None or (waves < 1 and not (grid and sms)):
        return "missing"
    efficiency = waves / math.ceil(waves) if waves > 1 else 1.0
    if efficiency >= EFFICIENT or waves >= FEW_WAVES:
        return None
    text = f"{waves:.2f} waves take the time of {math.ceil(waves)}: {percent(efficiency)} of it is used"
    return Hit(kernel, _saves(kernel, efficiency), text, {"waves": waves, "efficiency": efficiency})


def _saves(kernel: Counted, used: float) -> float:
    """All multiprocessors at work still share one DRAM and one L2: the time that these need stays."""
    light = speed_of_light(kernel)
    return 1 - max(used, light.dram or 0.0, light.l2 or 0.0)


def _from_traces(evidence: Evidence, abstained: Abstained) -> Finding | Abstained | None:
    """Grids with fewer blocks than multiprocessors, from what torch writes beside each kernel."""
    looked = [(trace, small) for trace in evidence.device_traces if (small := _small_grids(trace)) is not None]
    if not looked:
        return abstained
    trace, small = max(looked, key=lambda one: sum(one[1].values()))
    share = min(1.0, sum(small.values()))
    if share <= MATTERS:
        return None
    proofs = [
        Proof(
            text=f"{short(name)} has fewer blocks than there are multiprocessors: up to {percent(part)} of the step",
            place=trace.label,
            values={"saves_at_most": part},
        )
        for name, part in sorted(small.items(), key=lambda item: -item[1])[:SHOWN]
    ]
    return _finding(proofs, share, confidence_of(share, MATTERS, MATTERS_MUCH))


def _small_grids(trace: Trace) -> dict[str, float] | None:
    """By kernel, the share of the step that full multiprocessors could save; None where grids are not told."""
    found: dict[str, float] = defaultdict(float)
    told = False
    for row in trace.rows(Kind.KERNEL):
        filled = trace.args(row).get(BLOCKS_PER_SM)
        name, length = trace.events.name(row), trace.events.end_ns[row] - trace.events.start_ns[row]
        if not isinstance(filled, int | float) or is_communication(name):
            continue
        told = True
        if 0 <= filled < 1 and length >= LONG_NS:
            found[name] += trace.share(length * (1 - filled))
    return found if told else None


def _finding(proofs: list[Proof], share: float, confidence: Confidence, counted_of: ShareOf | None = None) -> Finding:
    """`counted_of`: what the share is of, where counters told it."""
    return Finding(
        rule="tail_effect",
        title="multiprocessors without a block",
        confidence=confidence,
        evidence=proofs,
        share=share,
        share_of=counted_of or "step",
        advice="smaller tiles, split-K or stream-K, or more work in one launch, so that waves come out whole",
        experiment="perfproof profile --metrics LAUNCH",
        refuted_by="with a grid of whole waves the kernel takes as long",
        basis="counters" if counted_of else "durations",
    )
