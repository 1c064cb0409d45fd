"""Kernels use none of the hardware much: their warps wait."""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules import imbalance, low_occupancy
from perfproof.diagnose.speed_of_light import CHEAPEST, NEEDS_ARITHMETIC, NEEDS_DRAM, NEEDS_ISSUE, speed_of_light
from perfproof.diagnose.wording import percent

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
STALLS = {
    "long_scoreboard": "for global or local memory",
    "short_scoreboard": "for shared memory or special functions",
    "barrier": "at a barrier",
    "mio_throttle": "for the queue of shared memory and special functions",
    "lg_throttle": "for the queue of global memory",
    "math_pipe_throttle": "for an arithmetic pipe",
    "wait": "a fixed number of cycles between instructions",
    "membar": "at a memory fence",
    "no_instruction": "for instructions to be fetched",
    "gmma": "for warpgroup tensor instructions",
    "drain": "for stores at the end",
    "sleeping": "asleep",
}


def find(evidence: Evidence) -> Finding | Abstained | None:
    hits = counted.look(evidence, "latency_bound", CHEAPEST, judge, (NEEDS_DRAM, NEEDS_ARITHMETIC, NEEDS_ISSUE))
    if not isinstance(hits, list):
        return hits
    few_warps = [hit for hit in hits if isinstance(low_occupancy.judge(hit.kernel), Hit)]
    uneven = [hit for hit in hits if isinstance(imbalance.judge(hit.kernel), Hit)]
    return Finding(
        rule="latency_bound",
        title="kernels that wait for latency",
        confidence=counted.confidence(hits),
        evidence=counted.proofs(hits),
        share=counted.saved(hits),
        share_of=counted.share_of(evidence),
        parts={"low_occupancy": counted.saved(few_warps), "imbalance": counted.saved(uneven)},
        advice="more work in flight: independent instructions in a thread, more warps, loads issued ahead",
        experiment="perfproof profile --metrics STALL",
        refuted_by="with twice the loads in flight the kernel takes as long",
        basis="counters",
    )


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    light = speed_of_light(kernel)
    if light.latency_bound is None:
        return "missing"
    if not light.latency_bound:
        return None
    issue = light.issue or 0.0
    text = f"no unit above {percent(light.highest)} of its peak, {issue:.2f} instructions a cycle and scheduler"
    stalls = {name: value for name in STALLS if (value := kernel.value(STALL.format(name))) is not None}
    if stalls:
        name = max(stalls, key=lambda each: stalls[each])
        text += f"; most warps wait {STALLS[name]} ({name}, {stalls[name]:.1f} warps for each issue)"
    values = {"highest_used": light.highest, "issue": issue} | stalls
    return Hit(kernel, 1 - light.highest, text, values)
