"""Kernels move bytes as fast as the memory gives them: only fewer bytes help."""

from collections.abc import Sequence
from typing import Literal

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof, ShareOf
from perfproof.diagnose import counted, operators
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.speed_of_light import BINDS, CHEAPEST, NEEDS_ARITHMETIC, NEEDS_DRAM, ROOF, speed_of_light
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import percent, short

OF_BANDWIDTH = 0.70  # by the model
MUCH = 0.30  # of the step in several such kernels: they could be one
SHOWN = 3
# Of bytes that need not be moved.
CAUSES = ("unfused_attention", "product_order", "strided_tensors", "converted_weights", "discarded_results")


def find(evidence: Evidence) -> Finding | Abstained | None:
    hits = counted.look(evidence, "memory_bound", CHEAPEST, judge, (NEEDS_DRAM, NEEDS_ARITHMETIC))
    if isinstance(hits, Abstained):
        modelled = operators.strongest(evidence, "memory_bound", _modelled)
        return hits if isinstance(modelled, Abstained) and evidence.counters else modelled
    if hits is None:
        return None
    return _finding(counted.proofs(hits), counted.saved(hits), counted.confidence(hits), counted.share_of(evidence))


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    light = speed_of_light(kernel)
    if light.dram is None or light.arithmetic is None:
        return "missing"
    if light.dram < BINDS or light.arithmetic >= BINDS:
        return None
    text = f"DRAM at {percent(light.dram)} of its peak, arithmetic at {percent(light.arithmetic)}"
    text += "; as fast as these bytes can be moved" if light.dram >= ROOF else ""
    text += light.source
    values = {"dram_used": light.dram, "arithmetic_used": light.arithmetic}
    return Hit(kernel, 1 - light.arithmetic, text, values, at_roof=light.dram >= ROOF)


def _modelled(trace: Trace, used: Sequence[operators.Used], roofs: operators.Roofs) -> Finding | None:
    bound = [one for one in used if _share_of_roof(one, roofs) >= OF_BANDWIDTH and not _computes(one, roofs)]
    bound = [one for one in bound if _share_of_roof(one, roofs) <= operators.MOST_OVER]
    if not bound:
        return None
    share = operators.visible_share(trace, bound)
    several = sum(one.calls for one in bound) / len(trace.steps) >= 2
    proofs = [
        Proof(
            text=f"{one.name} {short(one.dims)}: {one.bytes_per_second / 1e9:.0f} GB/s by its shapes, "
            f"{percent(_share_of_roof(one, roofs))} of the bandwidth ({roofs.source}); "
            f"{percent(trace.share(one.time_ns))} of the step (a model: every input once, every output once)",
            place=trace.label,
            values={"bytes_per_second": one.bytes_per_second, "of_roof": _share_of_roof(one, roofs)},
        )
        for one in bound[:SHOWN]
    ]
    return _finding(proofs, share, "medium" if share >= MUCH and several else "low")


def _share_of_roof(one: operators.Used, roofs: operators.Roofs) -> float:
    return one.bytes_per_second / roofs.bytes_per_second


def _computes(one: operators.Used, roofs: operators.Roofs) -> bool:
    """Whether its intensity is beyond the ridge, where arithmetic binds."""
    peak = roofs.flops.get(one.work.dtype)
    return peak is not None and one.work.flops / one.work.bytes > peak / roofs.bytes_per_second


def _finding(proofs: list[Proof], share: float, confidence: Confidence, counted_of: ShareOf | None = None) -> Finding:
    """`counted_of`: what the share is of, where counters told it."""
    return Finding(
        rule="memory_bound",
        title="kernels bound by memory bandwidth",
        confidence=confidence,
        evidence=proofs,
        share=share,
        share_of=counted_of or "step",
        advice="move fewer bytes: fuse neighbours, lower precision, reuse what is loaded",
        experiment="perfproof run ch07:rmsnorm_fusion",
        refuted_by="with half the bytes the kernel takes as long",
        parts={} if counted_of else dict.fromkeys(CAUSES, share),
        basis="counters" if counted_of else "durations",
    )
