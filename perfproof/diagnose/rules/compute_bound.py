"""Kernels calculate as fast as the pipes allow: only fewer or cheaper operations help."""

from collections.abc import Sequence
from typing import Literal

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof, ShareOf
from perfproof.diagnose import counted, operators
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.speed_of_light import BINDS, CHEAPEST, NEEDS_ARITHMETIC, NEEDS_DRAM, ROOF, speed_of_light
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import percent, short

OF_PEAK = 0.60  # by the model
SHOWN = 3


def find(evidence: Evidence) -> Finding | Abstained | None:
    hits = counted.look(evidence, "compute_bound", CHEAPEST, judge, (NEEDS_DRAM, NEEDS_ARITHMETIC))
    if isinstance(hits, Abstained):
        modelled = operators.strongest(evidence, "compute_bound", _modelled)
        return hits if isinstance(modelled, Abstained) and evidence.counters else modelled
    if hits is None:
        return None
    return _finding(counted.proofs(hits), counted.saved(hits), counted.confidence(hits), counted.share_of(evidence))


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    light = speed_of_light(kernel)
    if light.dram is None or light.arithmetic is None:
        return "missing"
    if light.arithmetic < BINDS or light.dram >= BINDS:
        return None
    text = f"arithmetic at {percent(light.arithmetic)} of its peak, DRAM at {percent(light.dram)}"
    text += "; as fast as these operations can be done" if light.arithmetic >= ROOF else ""
    text += light.source
    values = {"dram_used": light.dram, "arithmetic_used": light.arithmetic}
    return Hit(kernel, 1 - light.dram, text, values, at_roof=light.arithmetic >= ROOF)


def _modelled(trace: Trace, used: Sequence[operators.Used], roofs: operators.Roofs) -> Finding | None:
    products = [one for one in used if one.name in operators.PRODUCTS]
    bound = [one for one in products if OF_PEAK <= _share_of_peak(one, roofs) <= operators.MOST_OVER]
    if not bound:
        return None
    proofs = [
        Proof(
            text=f"{one.name} {short(one.dims)} in {one.work.dtype}: {one.flops_per_second / 1e12:.0f} TFLOP/s by its "
            f"shapes, {percent(_share_of_peak(one, roofs))} of the peak ({roofs.source}); "
            f"{percent(trace.share(one.time_ns))} of the step",
            place=trace.label,
            values={"flops_per_second": one.flops_per_second, "of_peak": _share_of_peak(one, roofs)},
        )
        for one in bound[:SHOWN]
    ]
    # Low on purpose: a matrix product near its peak is what a healthy program looks like.
    return _finding(proofs, operators.visible_share(trace, bound), "low")


def _share_of_peak(one: operators.Used, roofs: operators.Roofs) -> float:
    """A float32 product may run as TF32: the kernel's name says so."""
    tf32 = one.work.dtype == "fp32" and any("tf32" in name or "s1688" in name for name in one.kernels)
    peak = roofs.flops.get("tf32" if tf32 else one.work.dtype)
    return one.flops_per_second / peak if peak else 0.0


def _finding(proofs: list[Proof], share: float, confidence: Confidence, counted_of: ShareOf | None = None) -> Finding:
    """`counted_of`: what the share is of, where counters told it."""
    return Finding(
        rule="compute_bound",
        title="kernels bound by arithmetic",
        confidence=confidence,
        evidence=proofs,
        share=share,
        share_of=counted_of or "step",
        advice="lower precision where the answer allows it, or an algorithm with fewer operations",
        experiment="perfproof run ch01:reduced_precision",
        refuted_by="in half the precision the kernel takes as long",
        basis="counters" if counted_of else "durations",
    )
