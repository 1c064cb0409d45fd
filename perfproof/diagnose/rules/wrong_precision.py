"""Matrix products run in a wider type than the hardware needs, beside its tensor cores, or in one that a CPU lacks.

How much of their time could go is what the card's rates say: on some cards tf32 is no faster than float32. Where the
card or its rates are not known, the finding is a low suspicion without a share.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import counted
from perfproof.diagnose.cpu_traces import PARALLEL
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.operators import PRODUCTS, roofs_of
from perfproof.diagnose.sums import TREE, summed_kernels
from perfproof.diagnose.tensors import shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, percent, short
from perfproof.machine import datasheet
from perfproof.profile.intervals import total

MATTERS, MATTERS_MUCH = 0.10, 0.25  # of the step
PRODUCT_KERNEL = re.compile(r"gemm|xmma|cutlass|nvjet|wgrad|dgrad|implicit_convolve|conv2d", re.IGNORECASE)
WIDE_KERNEL = re.compile(
    r"simt|(?<![a-z])[sd]gemm|f32f32_f32f32_f32|f64f64_f64f64_f64|ffma|implicit_convolve_sgemm|fmha_cutlass[FB]_f32"
)
TENSOR_KERNEL = re.compile(r"tf32|tensorop|[hs]\d{4,}|hmma|gmma|bf16|f16f16|e4m3|nvjet|tensor\d")
ATTENTION = re.compile(r"fmha")  # its own kernel has float32 alone; the fast ones take 16 bits
DOUBLE_KERNEL = re.compile(r"dgemm|f64|(?<![a-z])d\d{3,}gemm")
OPTIMIZER = "Optimizer.step#"
# What float64 is often needed for: decompositions, second derivatives, an optimizer that compares small differences.
NEEDS_DOUBLE = re.compile(r"cholesky|linalg_|_lu\b|triangular_solve|BackwardBackward|DoubleBackward|#LBFGS")
TENSOR_INSTRUCTIONS = ("sm__inst_executed_pipe_tensor.sum", "sm__inst_executed_pipe_tc.sum")  # the second of Blackwell
FASTER = ("tf32", "bf16", "fp16")  # than fp32: the one that changes answers least first
ADVICE = {
    "fp32": "float32 in place of float64",
    "training": "float32 in place of float64, with TF32 or autocast to bfloat16 for the products: arrays of NumPy are "
    "float64 (astype(numpy.float32)), and so is all that torch.set_default_dtype(torch.float64) makes",
    "tf32": 'torch.set_float32_matmul_precision("high") or autocast to bfloat16',
    "bf16": "autocast to bfloat16; for attention q, k and v in bfloat16 at the call itself: a table or a mask in "
    "float32 that meets them makes all of them float32",
    "fp16": "autocast to float16",
    "float": "convert both sides to float32 or float64 for the product; for 8 bits torch._int_mm",
    "wider": "float32: this CPU has no instructions for such products, and torch computes them in a slow way",
}
TITLES = {
    "training": "training in float64",
    "float": "matrix products of integers",
    "wider": "matrix products in a type that this CPU does not multiply",
}
INTEGERS = ("long int", "int", "short int", "signed char", "unsigned char")  # torch has no fast products of these
WIDE = {
    **dict.fromkeys(INTEGERS, ("integers", "float32 (exact up to 2**24) or float64 (up to 2**53)", "float")),
    "double": ("float64", "float32", "fp32"),
    "float": ("float32", "bfloat16", "bf16"),
    "c10::BFloat16": ("bfloat16, which this CPU does not multiply", "float32", "wider"),
}
NARROW_PRODUCTS = frozenset({"AVX-512-BF16", "AMX-BF16", "BF16", "SVE-BF16"})  # as machine/isa.py names them
NARROW, ROWS = "c10::BFloat16", 16  # with fewer rows a product reads its weights, of which bfloat16 has half the bytes
HALF = 0.5  # of the time, where half the width is half the bytes and, at least, twice the lanes (an estimate)
EXPERIMENTS = {"tf32": "perfproof run ch02:tf32_matmul", "float": COMPARE_CHANGE, "wider": COMPARE_CHANGE}
SHOWN = 3
PLAIN = "run on the plain cores, not on the tensor cores"
MISSING = (
    "a trace or a tree of Proton with matrix products, on a CPU with their types (record_shapes=True); "
    "or ncu's TC counters"
)


@dataclass(frozen=True)
class Part:
    """One kernel: its share of the time, the type to go to, and what of its own time could go then."""

    share: float
    to: str
    saves: float | None


@dataclass(frozen=True)
class Wide:
    """Products in a wide type: of which share of the step, and how much of the step could go."""

    trace: Trace | None
    share: float
    saved: float | None  # None: the rates of the card are not known
    to: str  # the type to go to: of ADVICE
    names: tuple[str, ...]  # those with the most first
    what: str
    confidence: Confidence
    sums: bool = False  # of a tree without times


def find(evidence: Evidence) -> Finding | Abstained | None:
    looked = [
        _on_device(trace, evidence) if trace.devices else _on_host(trace, evidence.cpu_features)
        for trace in evidence.traces
    ]
    looked.append(_counted(evidence))
    known = [one for one in looked if one is not None]
    if not known and (summed := _summed(evidence)):
        known = [summed]
    if not known:
        return Abstained(rule="wrong_precision", missing=MISSING)
    worth = [one for one in known if one.share > MATTERS]
    return _finding(max(worth, key=lambda one: (one.saved or 0.0, one.share)), evidence) if worth else None


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
    roofs = roofs_of(trace, evidence.ceilings)
    peaks = roofs.flops if roofs else {}
    rows = [row for row in products if _is_wide(events.name(row))]
    visible = total(trace.alone(rows)) / max(1, wide.total())  # what runs beside other kernels cannot be saved
    parts = [_part(name, visible * trace.share(length), peaks) for name, length in wide.most_common()]
    found = _wide(parts, _most(wide), PLAIN, trace)
    double = _trained_in_double(trace, products, peaks)
    return max(found, double, key=lambda one: (one.saved or 0.0, one.share)) if double else found


def _trained_in_double(trace: Trace, products: list[int], peaks: Mapping[str, float]) -> Wide | None:
    """Most products of a training step in float64, whatever cores they run on. A simulation may need it."""
    events = trace.events
    rows = [row for row in products if DOUBLE_KERNEL.search(events.name(row))]
    times = Counter[str]()
    for row in rows:
        times[events.name(row)] += events.end_ns[row] - events.start_ns[row]
    most = 2 * times.total() > sum(events.end_ns[row] - events.start_ns[row] for row in products)
    trains = any(OPTIMIZER in events.name(row) for row in trace.rows(Kind.RANGE, Kind.OPERATOR))
    if not (most and trains and peaks.get("fp64") and peaks.get("tf32")):
        return None
    share = trace.share(total(trace.alone(rows)))
    saves = max(0.0, 1 - peaks["fp64"] / max(peaks["tf32"], peaks["fp32"]))
    names = (events.name(row) for row in trace.rows(Kind.RANGE, Kind.OPERATOR))
    due = any(NEEDS_DOUBLE.search(name) for name in set(names))
    confidence: Confidence = "low" if due else "high" if share > MATTERS_MUCH else "medium"
    what = "are in float64 and belong to training"
    return Wide(trace, share, share * saves, "training", _most(times), what, confidence)


def _summed(evidence: Evidence) -> Wide | None:
    """By the names of kernels of which only sums are known. Proton does not name the card."""
    kernels = summed_kernels(evidence)
    products = [one for one in kernels if PRODUCT_KERNEL.search(one.name)]
    if not products:
        return None
    wide = [one for one in products if _is_wide(one.name)]
    whole = sum(one.time_ns for one in kernels)
    parts = [_part(one.name, one.time_ns / whole, {}) for one in wide]
    return _wide(parts, tuple(one.name for one in wide), PLAIN, sums=True)


def _counted(evidence: Evidence) -> Wide | None:
    """Products that executed no tensor instruction, by the counters. Those of fp64 run on a pipe of their own on some
    chips, so that a name that says tensor is believed too."""
    kernels, _ = counted.counted(evidence)
    known = [
        (kernel, used)
        for kernel in kernels
        if PRODUCT_KERNEL.search(kernel.name) and (used := kernel.sum(*TENSOR_INSTRUCTIONS)) is not None
    ]
    if not known:
        return None
    idle = [kernel for kernel, used in known if used == 0 and not TENSOR_KERNEL.search(kernel.name)]
    plain = sorted(idle, key=lambda kernel: -kernel.share)
    parts = []
    for kernel in plain:
        sheet = datasheet.find(kernel.launches[0].device)
        parts.append(_part(kernel.name, kernel.share, sheet.flops if sheet else {}))
    return _wide(parts, tuple(kernel.name for kernel in plain), "executed no tensor instruction")


def _wide(parts: list[Part], names: tuple[str, ...], what: str, trace: Trace | None = None, sums: bool = False) -> Wide:
    """Of kernels, the longest first. Only what is known is promised, and believed."""
    share = min(1.0, sum(part.share for part in parts))
    known = [part for part in parts if part.saves is not None]
    saved = min(share, sum(part.share * (part.saves or 0.0) for part in known)) if known or not parts else None
    of_known = sum(part.share for part in known)
    confidence: Confidence = "high" if of_known > MATTERS_MUCH else "medium" if of_known > MATTERS else "low"
    to = max(parts, key=lambda part: part.share * (part.saves or 0.0)).to if parts else FASTER[0]
    return Wide(trace, share, saved, to, names, what, confidence, sums)


def _is_wide(kernel: str) -> bool:
    return WIDE_KERNEL.search(kernel) is not None and TENSOR_KERNEL.search(kernel) is None


def _part(kernel: str, share: float, peaks: Mapping[str, float]) -> Part:
    """By the first narrower type that is faster on this card. The rate of fp64 outside the tensor cores is in no sheet;
    it is half that of fp32 or less on every card."""
    if DOUBLE_KERNEL.search(kernel):
        return Part(share, "fp32", HALF)
    plain, rates = peaks.get("fp32"), {dtype: peaks[dtype] for dtype in FASTER if dtype in peaks}
    if not plain or not rates:
        return Part(share, FASTER[0], None)
    to = next((dtype for dtype, rate in rates.items() if rate > plain), FASTER[0])
    to = "bf16" if ATTENTION.search(kernel) and "bf16" in rates else to
    return Part(share, to, max(0.0, 1 - plain / rates[to]) if to in rates else 0.0)


def _on_host(trace: Trace, features: frozenset[str]) -> Wide | None:
    """By the types of operators. That float32 could be bfloat16 is a low suspicion, on a CPU that multiplies it."""
    events = trace.events
    rows: dict[str, list[int]] = {kind: [] for kind in WIDE}
    told = False
    for row in trace.rows(Kind.OPERATOR):
        if events.name(row) not in PARALLEL:
            continue
        types = trace.args(row).get("Input type")
        if isinstance(types, list):
            told = True
            kind = next((each for each in WIDE if each in types), None)  # the widest first
            if kind:
                rows[kind].append(row)
    if not told:
        return None
    if not NARROW_PRODUCTS & features:
        rows["float"] = []
    if NARROW_PRODUCTS & features or not features:
        rows[NARROW] = []
    rows[NARROW] = [row for row in rows[NARROW] if _rows_of(trace, row) >= ROWS]
    shares = {kind: trace.share(total(trace.covered(own))) for kind, own in rows.items()}
    wide = [each for each in WIDE if each != "float" and shares[each] > MATTERS]
    kind = max(wide, key=lambda each: shares[each], default="float")
    was, could_be, to = WIDE[kind]
    confidence: Confidence = "low" if kind == "float" else "high" if shares[kind] > MATTERS_MUCH else "medium"
    names = _most(Counter(events.name(row) for row in rows[kind]))
    what = f"are in {was}, where {could_be} may do"
    return Wide(trace, shares[kind], HALF * shares[kind], to, names, what, confidence)


def _rows_of(trace: Trace, row: int) -> int:
    """Rows of the matrix on the left of a product; 0 if shapes were not recorded."""
    shapes = shapes_of(trace, row)[PRODUCTS.get(trace.events.name(row), 0) :]
    return shapes[0][-2] if shapes and len(shapes[0]) > 1 else 0


def _most(names: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in names.most_common())


def _finding(wide: Wide, evidence: Evidence) -> Finding:
    names = ", ".join(short(name) for name in wide.names[:SHOWN])
    values = {"share": wide.share} | ({} if wide.saved is None else {"saves_at_most": wide.saved})
    unknown = "; what would be saved is unknown, for the card's rates are" if wide.saved is None else ""
    return Finding(
        rule="wrong_precision",
        title=TITLES.get(wide.to, "matrix products in a wide type"),
        confidence=wide.confidence,
        evidence=[
            Proof(
                text=f"matrix products that {wide.what} take {percent(wide.share)} of the time: {names}{unknown}",
                place=wide.trace.label if wide.trace else TREE if wide.sums else "counters",
                values=values,
            )
        ],
        share=wide.saved,
        share_of="step" if wide.trace else "profiled kernels" if wide.sums else counted.share_of(evidence),
        advice=ADVICE[wide.to] + ("" if wide.to == "wider" else ", where the answer allows it"),
        experiment=EXPERIMENTS.get(wide.to, "perfproof run ch01:reduced_precision"),
        refuted_by="in that type the step takes as long, or its answers are no longer good enough",
        basis="durations" if wide.trace or wide.sums else "counters",
    )
