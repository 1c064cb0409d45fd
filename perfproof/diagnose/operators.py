"""What operators must move and compute, from the shapes that torch recorded, against the time of their kernels.

A model, not a measurement: every input is read once and every output written once, which is the least there can be.
Only operators whose answer is known from their shapes are counted: matrix products, elementwise ones and reductions.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from perfproof.core.ceilings import Ceilings
from perfproof.core.diagnosis import Abstained, Finding
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace
from perfproof.machine import datasheet
from perfproof.profile.intervals import total

SIZES = {
    "float": 4,
    "double": 8,
    "c10::Half": 2,
    "c10::BFloat16": 2,
    "long int": 8,
    "int": 4,
    "short int": 2,
    "signed char": 1,
    "unsigned char": 1,
    "bool": 1,
}
TYPES = {"float": "fp32", "double": "fp64", "c10::Half": "fp16", "c10::BFloat16": "bf16"}
PRODUCTS = {"aten::mm": 0, "aten::bmm": 0, "aten::addmm": 1, "aten::baddbmm": 1}  # where the two matrices begin
# fmt: off
ELEMENTWISE = {
    "add", "sub", "mul", "div", "pow", "sqrt", "rsqrt", "exp", "log", "neg", "abs", "relu", "gelu", "silu",
    "sigmoid", "tanh", "clamp", "copy_", "add_", "sub_", "mul_", "div_", "relu_", "addcmul", "addcdiv",
    "addcmul_", "addcdiv_", "lerp", "lerp_", "where", "maximum", "minimum", "square", "sin", "cos", "erf",
    "reciprocal", "hardtanh", "threshold_backward", "gelu_backward", "silu_backward", "tanh_backward",
    "sigmoid_backward", "native_dropout", "_softmax", "_log_softmax",
}
# fmt: on
REDUCTIONS = {"sum", "mean", "amax", "amin", "max", "min", "linalg_vector_norm", "norm", "var", "std"}
MISSING = (
    "counters of ncu (`perfproof profile --metrics BASE`), or a trace of a known GPU with shapes (record_shapes=True)"
)
MOST_OVER = 1.1  # of the roof: more is a model that counts too much (data that stays in a cache)


@dataclass(frozen=True)
class Work:
    """Of one call."""

    dtype: str
    flops: float
    bytes: float


@dataclass(frozen=True)
class Used:
    """An operator at one shape, over the steady steps: time of its kernels, and what the model says it did."""

    name: str
    dims: str
    calls: int
    kernels: tuple[str, ...]
    time_ns: int
    work: Work  # of all calls
    rows: tuple[int, ...] = ()  # of the kernels
    operator: int = -1  # the row of one of the calls

    @property
    def bytes_per_second(self) -> float:
        return self.work.bytes / self.time_ns * 1e9 if self.time_ns else 0.0

    @property
    def flops_per_second(self) -> float:
        return self.work.flops / self.time_ns * 1e9 if self.time_ns else 0.0


@dataclass(frozen=True)
class Roofs:
    """What the device can do, and who says so."""

    source: str
    bytes_per_second: float
    flops: dict[str, float]


def work_of(name: str, args: dict[str, Any]) -> Work | None:
    """None where shapes were not recorded, or do not tell."""
    dims, types = args.get("Input Dims"), args.get("Input type")
    if not isinstance(dims, list) or not isinstance(types, list) or len(dims) != len(types):
        return None
    tensors = [(one, of) for one, of in zip(dims, types, strict=True) if of in SIZES and _is_shape(one)]
    if name in PRODUCTS:
        return _product(tensors[PRODUCTS[name] :])
    bare = name.removeprefix("aten::")
    if not tensors or bare not in ELEMENTWISE | REDUCTIONS:
        return None
    read = sum(math.prod(shape) * SIZES[of] for shape, of in tensors)
    largest = _elements([shape for shape, _ in tensors])
    kind = tensors[0][1]
    if bare.startswith("copy_"):  # its first input is only written
        read -= math.prod(tensors[0][0]) * SIZES[kind]
    written = largest * SIZES[kind] if bare in ELEMENTWISE else 0
    return Work(TYPES.get(kind, kind), float(largest), float(read + written))


def _elements(shapes: Sequence[list[int]]) -> int:
    """How many elements the answer has: small shapes are expanded; if shapes do not fit, the largest counts."""
    columns = list(zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1))
    fits = all(len({size for size in sizes if size != 1}) <= 1 for sizes in columns)
    largest = max(math.prod(shape) for shape in shapes)
    return math.prod(max(sizes) if min(sizes) else 0 for sizes in columns) if fits else largest


def _product(pair: list[tuple[list[int], str]]) -> Work | None:
    if len(pair) < 2 or len(pair[0][0]) < 2 or len(pair[0][0]) != len(pair[1][0]):
        return None
    (*batch, rows, inner), kind = pair[0]
    columns = pair[1][0][-1]
    count = math.prod(batch)
    moved = count * (rows * inner + inner * columns + rows * columns) * SIZES[kind]
    return Work(TYPES.get(kind, kind), 2.0 * count * rows * inner * columns, float(moved))


@lru_cache(maxsize=64)  # two rules ask
def used_on_device(trace: Trace) -> tuple[Used, ...]:
    """The operators whose kernels ran in the steady steps, the longest first; empty where none has shapes."""
    events = trace.events
    calls: dict[tuple[str, str], list[tuple[Work, list[int]]]] = defaultdict(list)
    first: dict[tuple[str, str], int] = {}
    for operator, kernels in kernels_of_operators(trace).items():
        args = trace.args(operator)
        work = work_of(events.name(operator), args)
        if work is not None:
            key = events.name(operator), str(args["Input Dims"])
            calls[key].append((work, kernels))
            first.setdefault(key, operator)
    found = [replace(_together(trace, *key, own), operator=first[key]) for key, own in calls.items()]
    return tuple(sorted(found, key=lambda one: -one.time_ns))


@lru_cache(maxsize=64)  # several rules ask
def kernels_of_operators(trace: Trace) -> dict[int, list[int]]:
    """The steady rows of kernels by the row of the operator that launched them."""
    events = trace.events
    operators = {events.external[row]: row for row in events.where(Kind.OPERATOR) if events.external[row] > 0}
    found: dict[int, list[int]] = defaultdict(list)
    for row in trace.rows(Kind.KERNEL):
        if events.external[row] in operators:
            found[operators[events.external[row]]].append(row)
    return found


def _together(trace: Trace, name: str, dims: str, calls: list[tuple[Work, list[int]]]) -> Used:
    events = trace.events
    rows = [row for _, kernels in calls for row in kernels]
    flops, moved = sum(work.flops for work, _ in calls), sum(work.bytes for work, _ in calls)
    time_ns = sum(events.end_ns[row] - events.start_ns[row] for row in rows)
    names = tuple(dict.fromkeys(events.name(row) for row in rows))
    return Used(name, dims, len(calls), names, time_ns, Work(calls[0][0].dtype, flops, moved), tuple(rows))


def visible_share(trace: Trace, used: Sequence[Used]) -> float:
    """The share of the step in which only kernels of these operators run."""
    return trace.share(total(trace.alone([row for one in used for row in one.rows])))


def roofs_of(trace: Trace, ceilings: Ceilings | None) -> Roofs | None:
    """Measured ceilings if they are of the trace's kind of device; else the data sheet of the card that it names."""
    if ceilings is not None and ceilings.device.startswith("cuda") == bool(trace.devices):
        memory = ceilings.get("memory/copy") or ceilings.get("memory/read")
        rates = [one for one in ceilings.ceilings if one.name.startswith("gemm/")]
        flops: dict[str, float] = {}
        for one in rates:  # burst and sustained: the higher
            dtype = one.name.split("/")[1]
            flops[dtype] = max(flops.get(dtype, 0.0), one.value)
        if memory is not None:
            return Roofs("measured", memory.value, flops)
    sheet = datasheet.find(_card(trace))
    return Roofs(f"data sheet of {sheet.name}", sheet.memory_bytes_s, dict(sheet.flops)) if sheet else None


def strongest(
    evidence: Evidence, rule: str, judge: Callable[[Trace, Sequence[Used], Roofs], Finding | None]
) -> Finding | Abstained | None:
    """What a rule finds in the shapes of any trace, where there are no counters: the finding with the largest share."""
    looked = [
        (trace, used, roofs)
        for trace in evidence.device_traces
        if (used := used_on_device(trace)) and (roofs := roofs_of(trace, evidence.ceilings))
    ]
    if not looked:
        return Abstained(rule=rule, missing=MISSING)
    found = [finding for one in looked if (finding := judge(*one)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0) if found else None


def _card(trace: Trace) -> str:
    listed = trace.events.about.get("deviceProperties") or trace.events.about.get("gpus") or []
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict) and isinstance(one.get("name"), str):
            return one["name"]
    return ""


def _is_shape(value: object) -> bool:
    return isinstance(value, list) and all(type(size) is int and size >= 0 for size in value)
