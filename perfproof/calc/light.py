"""The speed of light: the fastest time that declared bytes and operations allow, and which share of it was reached.

Two questions with two answers. Against measured ceilings: which per cent of what this machine can do is this? Against
the data sheet at the highest clock (without one, 1.25 times the best ever measured): can this time be true at all?
"""

from dataclasses import dataclass

BEYOND_BEST = 1.25  # without a data sheet: no real time is so much better than the best ever measured
ROUNDING = 1.01


@dataclass(frozen=True)
class Work:
    """What a call of one side has to do, as its pair declares it."""

    flops: float | None
    bytes: float | None  # through memory
    least_bytes: float | None  # without what caches may hold over calls


@dataclass(frozen=True)
class Rates:
    """Bytes and operations per second, each with its name and None where nothing is known."""

    memory: float | None
    compute: float | None
    memory_name: str = ""
    compute_name: str = ""


@dataclass(frozen=True)
class Fastest:
    seconds: float
    bound: str  # "memory" or "compute"
    rate_name: str


def work_of(cost: dict[str, float], side: str, cached_bytes: float) -> Work:
    """`<side>_bytes` and `<side>_flops` where a side differs, else what all sides share."""
    moved = cost.get(f"{side}_bytes", cost.get("bytes"))
    return Work(
        flops=cost.get(f"{side}_flops", cost.get("flops")),
        bytes=moved,
        least_bytes=None if moved is None else max(0.0, moved - cached_bytes),
    )


def fastest(flops: float | None, moved: float | None, rates: Rates) -> Fastest | None:
    """The longer of the two times, and what it is bound by; None where neither is known."""
    times = []
    if flops and rates.compute:
        times.append(Fastest(flops / rates.compute, "compute", rates.compute_name))
    if moved and rates.memory:
        times.append(Fastest(moved / rates.memory, "memory", rates.memory_name))
    return max(times, key=lambda one: one.seconds, default=None)


def split(before: Work, after: Work, seconds_before: float, seconds_after: float) -> tuple[float, float] | None:
    """A speed-up as the ratio of traffic times the ratio of bandwidth reached; their product is the speed-up."""
    if not before.bytes or not after.bytes or not seconds_before or not seconds_after:
        return None
    traffic = before.bytes / after.bytes
    return traffic, (seconds_before / seconds_after) / traffic


def impossible(work: Work, seconds: float, limits: Rates) -> str:
    """Why a time cannot be true, with the arithmetic; empty where it can."""
    for amount, rate, name, unit, scale in (
        (work.least_bytes, limits.memory, limits.memory_name, "TB/s", 1e12),
        (work.flops, limits.compute, limits.compute_name, "TFLOP/s", 1e12),
    ):
        if not amount or not rate or seconds * ROUNDING >= amount / rate:
            continue
        what = f"{amount:.4g} {'bytes' if unit == 'TB/s' else 'operations'}"
        claimed = f"{amount / seconds / scale:.3g} {unit}"
        return (
            f"{what} in {seconds * 1e6:.4g} µs are {claimed}, and no more than {rate / scale:.3g} {unit} are possible "
            f"({name}): it needs {amount / rate * 1e6:.4g} µs; work is left out, or `cost` counts too much"
        )
    return ""
