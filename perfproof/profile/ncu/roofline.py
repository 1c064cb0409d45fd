"""Points of a roofline from Nsight Compute's counters.

    W = sum over dtypes of (add + mul + 2 fma) and of the tensor cores' own operation counts
    Q = bytes of DRAM, of L2, of shared memory;   t = gpu__time_duration

Launches of one kernel with one grid are one point. A dtype of which a counter is missing is left out of W and named:
W is then a lower bound. Where the tensor pipe was busy and none of its operations were counted, W is unknown: a product
in fp8 of which bf16 and fp16 were counted has nothing but its epilogue in W, and would look bound by memory.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from perfproof.calc.dual_roofline import COMPUTE, DRAM, FEEDS, SHARED_BYTES_A_CLOCK, shared_memory_bytes_s
from perfproof.core.roofline import Kernel, Roof
from perfproof.profile import roofline_counters as counters
from perfproof.profile.ncu.csv import CountedKernel, CountedKernels
from perfproof.profile.roofline_counters import Architecture

BUSY = 0.01  # of the tensor pipe: above, its operations must have been counted
NO_WORK = (
    1e10  # operations for a second of a busy tensor pipe: fewer are none, for the slowest do more than ten times that
)
PACKED = "half-precision vector instructions are counted once, packed ones do two operations: W may be higher"
LABEL = 34


def kernels_of(counted: CountedKernels) -> list[Kernel]:
    """One point for each kernel and grid."""
    groups: dict[tuple[str, str, str], list[CountedKernel]] = defaultdict(list)
    for launch in counted.kernels:
        groups[launch.name, launch.grid, launch.block].append(launch)
    labels = _labels(list(groups))
    return [merged([point(launch) for launch in launches], labels[key]) for key, launches in groups.items()]


def feed_roof(counted: CountedKernels) -> Roof | None:
    """The shared memories of a Hopper at the clock they had: 128 bytes for each SM cycle of the longest kernel."""
    hopper = [one for one in counted.kernels if counters.architecture_of(one.capability) is counters.HOPPER]
    found = []
    for launch in hopper:
        seconds, cycles = launch.get(counters.TIME, "time").value, launch.get(counters.SM_CYCLES, "count").value
        if seconds and cycles:
            found.append((seconds, shared_memory_bytes_s(cycles, seconds)))
    if not found:
        return None
    source = f"{SHARED_BYTES_A_CLOCK} bytes x {counters.SM_CYCLES} / time of the longest kernel"
    return Roof(name=FEEDS["9"], kind="feed", value=max(found)[1], unit="bytes/s", basis="derived", source=source)


def point(launch: CountedKernel) -> Kernel:
    """One launch: what its counters say, and what they do not."""
    missing: dict[str, str] = {}

    def get(name: str, metric: str, dimension: str) -> float | None:
        found = launch.get(metric, dimension)
        if found.value is not None and found.value >= 0:
            return found.value
        missing[name] = f"{metric}: {found.why or 'below zero'}"
        return None

    seconds = get("time", counters.TIME, "time")
    if seconds == 0:
        seconds, missing["time"] = None, f"{counters.TIME} is 0"
    levels = {"DRAM": _dram(launch, missing)}
    levels["L2"] = get("L2 bytes", counters.L2_BYTES, "byte")
    levels["shared memory"] = get("shared-memory bytes", counters.SHARED_BYTES, "byte")
    work, notes = _work(launch, missing)
    clock = launch.get(counters.SM_CLOCK, "rate").value
    operands = launch.get(counters.GMMA_BYTES, "byte").value
    return Kernel(
        name=launch.name,
        label=launch.name,
        source="counters",
        capability=launch.capability,
        seconds=seconds,
        flops=sum(work.values()) if work is not None else None,
        work=work or {},
        bytes={level: moved for level, moved in levels.items() if moved is not None},
        feed_bytes=operands if operands is not None and operands >= 0 else None,
        used=_used(launch),
        clock_hz=clock,
        unknown=missing,
        notes=notes,
    )


def merged(points: Sequence[Kernel], label: str) -> Kernel:
    """Launches of one kernel as one point: sums, time-weighted shares, and the spread of what they achieved.

    A quantity that one launch does not have is unknown for all: a sum over some of them would be a wrong number.
    """
    first = points[0]
    if len(points) == 1:
        return first.model_copy(update={"label": label})
    seconds = [one.seconds for one in points]
    total = None if None in seconds else sum(one for one in seconds if one)
    speeds = [one.flops / one.seconds for one in points if one.flops is not None and one.seconds]
    everywhere = {level for level in first.bytes if all(level in one.bytes for one in points)}
    whole = all(one.flops is not None for one in points)
    dtypes = {dtype for one in points for dtype in one.work}
    feeds = [one.feed_bytes for one in points]
    used = {name for name in first.used if total and all(name in one.used for one in points)}
    return first.model_copy(
        update={
            "label": label,
            "launches": len(points),
            "seconds": total,
            "flops": sum(one.flops or 0.0 for one in points) if whole else None,
            "work": {dtype: sum(one.work.get(dtype, 0.0) for one in points) for dtype in dtypes} if whole else {},
            "bytes": {level: sum(one.bytes[level] for one in points) for level in first.bytes if level in everywhere},
            "feed_bytes": None if None in feeds else sum(one for one in feeds if one is not None),
            "used": {
                name: sum(one.used[name] * (one.seconds or 0.0) for one in points) / (total or 1.0) for name in used
            },
            "achieved_low": min(speeds) if whole and speeds else None,
            "achieved_high": max(speeds) if whole and speeds else None,
            "unknown": {what: why for one in points for what, why in one.unknown.items()},
            "notes": list(dict.fromkeys(note for one in points for note in one.notes)),
        }
    )


def short_name(name: str) -> str:
    """`void ns::gemm<float, 128>(float*)` is gemm: without what it returns, where it lives and what it takes."""
    text = name.strip()
    for opening, closing in (("<", ">"), ("(", ")")):
        text = _without_nested(text, opening, closing)
    words = text.split()
    short = (words[-1] if words else name).rpartition("::")[2] or name
    return short if len(short) <= LABEL else f"{short[: LABEL - 13]}…{short[-12:]}"


def _without_nested(text: str, opening: str, closing: str) -> str:
    kept, depth = [], 0
    for letter in text:
        depth += letter == opening
        if depth == 0:
            kept.append(letter)
        depth -= letter == closing and depth > 0
    return "".join(kept) or text


def _labels(keys: Sequence[tuple[str, str, str]]) -> dict[tuple[str, str, str], str]:
    """Short names; with the grid, or a number, where two would be the same."""
    labels: dict[tuple[str, str, str], str] = {}
    short = {key: short_name(key[0]) for key in keys}
    for key in keys:
        label = short[key]
        if list(short.values()).count(label) > 1 and key[1]:
            label = f"{label} {re.sub(r' ', '', key[1])}"
        number = 2
        while label in labels.values():
            label, number = f"{label.rpartition(' #')[0] or label} #{number}", number + 1
        labels[key] = label
    return labels


def _dram(launch: CountedKernel, missing: dict[str, str]) -> float | None:
    both = launch.get(counters.DRAM_BYTES, "byte")
    read, written = (launch.get(name, "byte").value for name in (counters.DRAM_READ, counters.DRAM_WRITE))
    value = both.value if both.value is not None else None if read is None or written is None else read + written
    if value is None or value < 0:
        missing["DRAM bytes"] = f"{counters.DRAM_BYTES}: {both.why or 'below zero'}"
        return None
    return value


def _used(launch: CountedKernel) -> dict[str, float]:
    """Shares of their own peak: of the tensor pipe, of DRAM, and of what feeds the tensor cores."""
    found = {
        COMPUTE: launch.get(counters.TENSOR_USED, "share").value,
        DRAM: launch.get(counters.DRAM_USED, "share").value,
        FEEDS["10"]: launch.get(counters.TMEM_USED, "share").value,
    }
    wavefronts = launch.get(counters.GMMA_WAVEFRONTS, "count").value
    cycles = launch.get(counters.SM_CYCLES, "count").value
    if wavefronts is not None and cycles:
        found[FEEDS["9"]] = wavefronts / cycles
    return {name: share for name, share in found.items() if share is not None and share >= 0}


def _work(launch: CountedKernel, missing: dict[str, str]) -> tuple[dict[str, float] | None, list[str]]:
    """Operations by dtype, and what has to be said about them; None where they are not known."""
    architecture = counters.architecture_of(launch.capability) or _by_names(launch)
    work: dict[str, float] = {}
    left_out: list[str] = []
    for dtype, kinds in architecture.vector.items():
        _add(work, left_out, launch, dtype, {counters.instructions(kind): times for kind, times in kinds.items()})
    for dtype, metrics in architecture.tensor.items():
        _add(work, left_out, launch, dtype, dict.fromkeys(metrics, 1))
    notes: list[str] = []
    uncounted = _uncounted(launch, {dtype: work.get(dtype) for dtype in architecture.tensor})
    if uncounted:
        missing["flops"] = uncounted
        return None, notes
    if not any(dtype in work for dtype in architecture.vector) and not any(work.values()):
        missing["flops"] = "no operation of the vector units was counted"
        return None, notes
    if left_out:
        notes.append(f"W is a lower bound: not counted are {', '.join(left_out)}")
    if work.get("fp16 vector", 0.0) > 0.01 * sum(work.values()):
        notes.append(PACKED)
    sparse = [name for name, found in launch.readings.items() if "sparsity_on" in name and found.value]
    if sparse:
        notes.append("structured sparsity was on: the roof of dense operations is not its roof")
    return {dtype: operations for dtype, operations in work.items() if operations > 0}, notes


def _uncounted(launch: CountedKernel, by_dtype: dict[str, float | None]) -> str:
    """Why the work of the tensor cores is not known; empty where it is. `by_dtype`: None where it was not counted."""
    shares = [share for name in counters.TENSOR_BUSY if (share := launch.get(name, "share").value) is not None]
    left_out = [dtype for dtype, operations in by_dtype.items() if operations is None]
    if len(left_out) == len(by_dtype) and (not shares or max(shares) > BUSY):
        return "the operations of the tensor cores were not counted"
    busy = max(shares, default=0.0)
    seconds = launch.get(counters.TIME, "time").value or 0.0
    if busy <= BUSY or sum(done or 0.0 for done in by_dtype.values()) > NO_WORK * busy * seconds:
        return ""
    others = f"not counted were {', '.join(left_out)}" if left_out else "they are of a type without a counter here"
    return f"the tensor pipe was busy for {100 * busy:.0f} %, with none of the operations that were counted; {others}"


def _add(
    work: dict[str, float], left_out: list[str], launch: CountedKernel, dtype: str, metrics: dict[str, int]
) -> None:
    values = {metric: launch.get(metric, "count").value for metric in metrics}
    if any(value is None or value < 0 for value in values.values()):
        left_out.append(dtype)
    else:
        work[dtype] = sum(metrics[metric] * (value or 0.0) for metric, value in values.items())


def _by_names(launch: CountedKernel) -> Architecture:
    """Without a compute capability: the architecture whose counters are there."""
    return max(
        counters.ARCHITECTURES.values(), key=lambda one: sum(metric in launch.readings for metric in one.metrics())
    )
