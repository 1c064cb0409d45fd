"""The roofline: how long a kernel must take at least, by every limit that is known.

With W operations and Q bytes of a memory level, a roof P (flop/s) or B (bytes/s) says

    t_compute = W / P        t_level = Q / B        t_min = the longest of them

and a kernel that took t stands at t_min / t of its roof. On the picture that is P_attainable = min(P, B * W/Q); written
with times it also holds for a kernel without arithmetic. Operations of the tensor cores share one pipe and their times
add up; the vector units are other pipes and may run beside them.
(S. Williams, A. Waterman, D. Patterson: Roofline, CACM 52(4), 2009.)
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from perfproof.core.ceilings import Ceilings
from perfproof.core.roofline import MEMORY_LEVELS, Finding, Kernel, Limit, Roof

LEVEL_OF = {"memory": "DRAM", "l2": "L2", "shared": "shared memory"}  # first part of a ceiling's name
DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "float64": "fp64",
    "double": "fp64",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
    "e4m3": "fp8",
    "e5m2": "fp8",
}
FASTEST = "fastest dtype"  # what a kernel of unknown dtype is held against
PIPES = {"fp32": "vector", "fp16 vector": "vector", "fp64": "fp64", "": "any"}  # all others: the tensor cores


def dtype_name(text: str) -> str:
    """The short name: torch.bfloat16, bfloat16 and BF16 are bf16."""
    short = text.strip().lower().removeprefix("torch.")
    return DTYPES.get(short, short)


def ridge(peak: float, bandwidth: float) -> float:
    """The intensity, flop/byte, from which on the compute roof is the lower one."""
    return peak / bandwidth


def roofs_of(ceilings: Ceilings) -> list[Roof]:
    """The best measured rate of every memory level and dtype; a ceiling with a finding against it is no roof."""
    best: dict[tuple[str, str], Roof] = {}
    for ceiling in ceilings.ceilings:
        first, *rest = ceiling.name.split("/")
        if ceiling.finding or not 0 < ceiling.value < math.inf:
            continue
        if ceiling.unit == "bytes/s" and first in LEVEL_OF:
            roof = Roof(
                name=LEVEL_OF[first],
                kind="memory",
                value=ceiling.value,
                unit="bytes/s",
                basis="measured",
                source=ceiling.name,
            )
        elif ceiling.unit in ("flop/s", "op/s") and rest:
            name = dtype_name(rest[0])
            roof = Roof(
                name=name, kind="compute", value=ceiling.value, unit="flop/s", basis="measured", source=ceiling.name
            )
        else:
            continue
        key = (roof.kind, roof.name)
        if key not in best or roof.value > best[key].value:
            best[key] = roof
    return in_order(best.values())


def roofs_of_sheet(memory_bytes_s: float, flops: Mapping[str, float], source: str) -> list[Roof]:
    """The data sheet's limits: what no kernel reaches, for where nothing was measured."""
    memory = Roof(name="DRAM", kind="memory", value=memory_bytes_s, unit="bytes/s", basis="sheet", source=source)
    compute = [
        Roof(name=dtype_name(name), kind="compute", value=value, unit="flop/s", basis="sheet", source=source)
        for name, value in flops.items()
        if value > 0
    ]
    return in_order([memory, *compute])


def in_order(roofs: Iterable[Roof]) -> list[Roof]:
    """Memory from the outside in, then compute from the fastest down, then feeds."""
    kinds = ("memory", "compute", "feed")
    levels = {name: place for place, name in enumerate(MEMORY_LEVELS)}
    return sorted(roofs, key=lambda roof: (kinds.index(roof.kind), levels.get(roof.name, 9), -roof.value))


def place(kernels: Sequence[Kernel], roofs: Sequence[Roof], tolerance: float) -> tuple[list[Kernel], list[Finding]]:
    """Every kernel under its roofs, longest first (pairs last, as they came), and what cannot be true."""
    total = sum(kernel.seconds or 0.0 for kernel in kernels if not kernel.group)
    placed = [_placed(kernel, roofs, total) for kernel in kernels]
    placed.sort(key=lambda kernel: 0.0 if kernel.group else -(kernel.seconds or 0.0))
    findings = [finding for kernel in placed for finding in too_fast(kernel, tolerance)]
    return placed, findings


def _placed(kernel: Kernel, roofs: Sequence[Roof], total: float) -> Kernel:
    if kernel.seconds is None or kernel.seconds <= 0:
        return kernel
    found: dict[str, object] = {} if kernel.group else {"share_of_time": kernel.seconds / total}
    if kernel.flops is not None:
        found["achieved"] = kernel.flops / kernel.seconds
        found["intensity"] = {level: kernel.flops / moved for level, moved in kernel.bytes.items() if moved > 0}
    limits = sorted(limits_of(kernel, roofs), key=lambda limit: -limit.share)
    if limits:
        first = limits[0]
        found |= {"limits": limits, "limited_by": first.roof, "of_roof": first.share}
        if kernel.flops and first.share > 0:
            found["attainable"] = kernel.flops / kernel.seconds / first.share
    return kernel.model_copy(update=found)


def limits_of(kernel: Kernel, roofs: Sequence[Roof]) -> list[Limit]:
    """The share of the kernel's time that each roof explains."""
    if kernel.seconds is None or kernel.seconds <= 0:
        return []
    memory = {roof.name: roof.value for roof in roofs if roof.kind == "memory"}
    compute = {roof.name: roof.value for roof in roofs if roof.kind == "compute"}
    found = [
        Limit(roof=level, share=moved / memory[level] / kernel.seconds)
        for level, moved in kernel.bytes.items()
        if level in memory
    ]
    pipes: dict[str, list[tuple[float, str]]] = {}
    for dtype, operations in kernel.work.items():
        peak = compute.get(dtype.removesuffix(" tensor")) if dtype else max(compute.values(), default=None)
        if operations > 0 and peak is not None:
            pipes.setdefault(PIPES.get(dtype, "tensor"), []).append((operations / peak, dtype or FASTEST))
    for busy in pipes.values():
        found.append(Limit(roof=max(busy)[1], share=sum(seconds for seconds, _ in busy) / kernel.seconds))
    return found


def too_fast(kernel: Kernel, tolerance: float) -> list[Finding]:
    """A point above a roof is an error in what was counted or timed, never a fast kernel."""
    found = []
    for limit in kernel.limits:
        if limit.share <= 1 + tolerance:
            continue
        cause = "a counting error"
        if kernel.source == "model" and limit.roof in MEMORY_LEVELS:
            cause = "its `cost` counts too much, or the data came from a cache"
        elif kernel.source == "model" and "" in kernel.work:
            cause = "its `cost` counts too many operations, or they ran in a dtype without a roof here"
        text = f"{kernel.label} is at {limit.share:.2f} times the {limit.roof} roof: {cause}"
        found.append(Finding(level="error", kernel=kernel.name, text=text))
    return found
