"""Matrix products run in a wider type than the hardware needs, beside its tensor cores."""

import re
from collections import Counter
from dataclasses import dataclass

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import counted
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.operators import PRODUCTS, roofs_of
from perfproof.diagnose.sums import TREE, summed_kernels
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import percent, short
from perfproof.profile.intervals import total

MATTERS, MATTERS_MUCH = 0.10, 0.25  # of the step
PRODUCT_KERNEL = re.compile(r"gemm|xmma|cutlass|nvjet|wgrad|dgrad|implicit_convolve|conv2d", re.IGNORECASE)
WIDE_KERNEL = re.compile(r"simt|(?<![a-z])[sd]gemm|f32f32_f32f32_f32|f64f64_f64f64_f64|ffma|implicit_convolve_sgemm")
TENSOR_KERNEL = re.compile(r"tf32|tensorop|[hs]\d{4,}|hmma|gmma|bf16|f16f16|e4m3|nvjet")
TENSOR_INSTRUCTIONS = "sm__inst_executed_pipe_tensor.sum"
ON_HOST = (*PRODUCTS, "aten::mkldnn_convolution", "aten::_convolution", "aten::convolution")
WIDE = {"double": ("float64", "float32"), "float": ("float32", "bfloat16")}
HALF = 0.5  # of the time, at most, where half the width is half the bytes and twice the lanes (an estimate)
SHOWN = 3
PLAIN = "run on the plain cores, not on the tensor cores"
MISSING = (
    "a trace or a tree of Proton with matrix products, on a CPU with their types (record_shapes=True); "
    "or ncu's TC counters"
)


@dataclass(frozen=True)
class Wide:
    """Products in a wide type: of which share of the step, and how much of it could go."""

    trace: Trace | None
    share: float
    saves: float
    names: tuple[str, ...]  # those with the most first
    what: str
    confidence: Confidence
    sums: bool = False  # of a tree without times


def find(evidence: Evidence) -> Finding | Abstained | None:
    looked = [_on_device(trace, evidence) if trace.devices else _on_host(trace) for trace in evidence.traces]
    looked.append(_counted(evidence))
    known = [one for one in looked if one is not None]
    if not known and (summed := _summed(evidence)):
        known = [summed]
    if not known:
        return Abstained(rule="wrong_precision", missing=MISSING)
    worst = max(known, key=lambda one: one.share * one.saves)
    return _finding(worst, evidence) if worst.share > MATTERS else None


def _on_device(trace: Trace, evidence: Evidence) -> Wide | None:
    """By the kernels' names; None where no kernel is a matrix product."""
    events, wide = trace.events, Counter[str]()
    products = [row for row in trace.rows(Kind.KERNEL) if PRODUCT_KERNEL.search(events.name(row))]
    for row in products:
        name = events.name(row)
        if _is_wide(name):
            wide[name] += events.end_ns[row] - events.start_ns[row]
    if not products:
        return None
    share = trace.share(sum(wide.values()))
    roofs = roofs_of(trace, evidence.ceilings)
    peaks = roofs.flops if roofs else {}
    saves = 1 - peaks["fp32"] / peaks["tf32"] if "fp32" in peaks and peaks.get("tf32") else 1.0
    confidence: Confidence = "high" if share > MATTERS_MUCH else "medium"
    return Wide(trace, share, saves, _most(wide), PLAIN, confidence)


def _summed(evidence: Evidence) -> Wide | None:
    """By the names of kernels of which only sums are known."""
    kernels = summed_kernels(evidence)
    products = [one for one in kernels if PRODUCT_KERNEL.search(one.name)]
    if not products:
        return None
    wide = [one for one in products if _is_wide(one.name)]
    share = sum(one.time_ns for one in wide) / sum(one.time_ns for one in kernels)
    confidence: Confidence = "high" if share > MATTERS_MUCH else "medium"
    names = tuple(one.name for one in wide)
    return Wide(None, share, 1.0, names, PLAIN, confidence, sums=True)


def _is_wide(kernel: str) -> bool:
    return WIDE_KERNEL.search(kernel) is not None and TENSOR_KERNEL.search(kernel) is None


def _on_host(trace: Trace) -> Wide | None:
    """By the types of operators. Whether bfloat16 is faster depends on the CPU, so float32 is a low suspicion."""
    events = trace.events
    rows: dict[str, list[int]] = {kind: [] for kind in WIDE}
    told = False
    for row in trace.rows(Kind.OPERATOR):
        if events.name(row) not in ON_HOST:
            continue
        types = trace.args(row).get("Input type")
        if isinstance(types, list):
            told = True
            kind = next((each for each in WIDE if each in types), None)  # the widest first
            if kind:
                rows[kind].append(row)
    if not told:
        return None
    shares = {kind: trace.share(total(trace.covered(own))) for kind, own in rows.items()}
    kind = "double" if shares["double"] > MATTERS else "float"
    was, could_be = WIDE[kind]
    confidence: Confidence = "low" if kind == "float" else "high" if shares[kind] > MATTERS_MUCH else "medium"
    names = _most(Counter(events.name(row) for row in rows[kind]))
    return Wide(trace, shares[kind], HALF, names, f"are in {was}, where {could_be} may do", confidence)


def _counted(evidence: Evidence) -> Wide | None:
    """Products that executed no tensor instruction, by the counters."""
    kernels, _ = counted.counted(evidence)
    known = [
        (kernel, used)
        for kernel in kernels
        if PRODUCT_KERNEL.search(kernel.name) and (used := kernel.value(TENSOR_INSTRUCTIONS)) is not None
    ]
    if not known:
        return None
    plain = sorted((kernel for kernel, used in known if used == 0), key=lambda kernel: -kernel.share)
    share = min(1.0, sum(kernel.share for kernel in plain))
    confidence: Confidence = "high" if share > MATTERS_MUCH else "medium"
    names = tuple(kernel.name for kernel in plain)
    return Wide(None, share, 1.0, names, "executed no tensor instruction", confidence)


def _most(names: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in names.most_common())


def _finding(wide: Wide, evidence: Evidence) -> Finding:
    names = ", ".join(short(name) for name in wide.names[:SHOWN])
    on_device = wide.trace is None or bool(wide.trace.devices)
    return Finding(
        rule="wrong_precision",
        title="matrix products in a wide type",
        confidence=wide.confidence,
        evidence=[
            Proof(
                text=f"matrix products that {wide.what} take {percent(wide.share)} of the time: {names}",
                place=wide.trace.label if wide.trace else TREE if wide.sums else "counters",
                values={"share": wide.share, "saves_at_most": wide.share * wide.saves},
            )
        ],
        share=wide.share * wide.saves,
        share_of="step" if wide.trace else "profiled kernels" if wide.sums else counted.share_of(evidence),
        advice='torch.set_float32_matmul_precision("high") or autocast to bfloat16, where the answer allows it',
        experiment="perfproof run ch02:tf32_matmul" if on_device else "perfproof run ch01:reduced_precision",
        refuted_by="in the narrower type the step takes as long, or its answers are no longer good enough",
        basis="durations" if wide.trace or wide.sums else "counters",
    )
