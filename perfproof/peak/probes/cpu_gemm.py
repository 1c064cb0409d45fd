"""Matrix multiplication on all cores, by type: in short bursts after a rest, and over seconds of continuous work."""

import time
from collections.abc import Callable, Iterator

import torch

from perfproof.core.ceilings import Ceiling
from perfproof.peak.found import Found, Missing, NotMeasured, attempt, rate, reason
from perfproof.peak.plan import Plan
from perfproof.peak.timing import Call, burst_samples, sustained_samples, timed

devices = ("cpu",)
measures = ("gemm/fp64/*", "gemm/fp32/*", "gemm/bf16/*", "gemm/int8/*")
timeout = 240

DTYPES = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "int8": torch.int8,
}
WAYS: dict[str, Callable[[Call, Plan], list[float]]] = {"burst": burst_samples, "sustained": sustained_samples}
TRIAL_SIDE = 256
TRIAL_FLOPS_SECOND = 2e9  # of one core; slower than this is a reference loop, not a ceiling


def probe(plan: Plan) -> Iterator[Found]:
    torch.set_num_threads(plan.threads[-1])
    for dtype in DTYPES:
        names = [name for way in WAYS if plan.wants(name := f"gemm/{dtype}/{way}")]
        if names:
            yield from _both_ways(dtype, names, plan)


def _both_ways(dtype: str, names: list[str], plan: Plan) -> Iterator[Found]:
    try:
        side = best_side(dtype, plan)
    except Exception as error:
        yield from (Missing(name, reason(error)) for name in names)
        return
    call = product(dtype, side)
    for name in names:
        yield from attempt(name, _measure, name, dtype, side, call, plan)


def best_side(dtype: str, plan: Plan) -> int:
    """The size with most operations a second; first a small one, which tells whether there is a fast path at all."""
    slow = core_rate(dtype, plan.threads[-1])
    if slow < TRIAL_FLOPS_SECOND:
        raise NotMeasured(f"{slow / 1e9:.1f} GFLOP/s of one core: no fast path for {dtype} on this CPU")
    wanted = [side for side in sides(dtype, plan) if 3 * 8 * side**2 <= plan.memory_bytes] or [TRIAL_SIDE]
    return max(wanted, key=lambda side: _rate_of(dtype, side)) if len(wanted) > 1 else wanted[0]


def sides(dtype: str, plan: Plan) -> tuple[int, ...]:
    if plan.quick:
        return (1024,) if dtype in ("fp64", "fp32") else (2048,)
    return (1024, 2048, 4096)


def operations(side: int) -> int:
    return 2 * side**3


def product(dtype: str, side: int) -> Call:
    """Operands are normal random values; int8 ones are rounded from a spread of 32."""
    if dtype == "int8":
        a, b = (torch.randn(side, side).mul_(32).clamp_(-127, 127).to(torch.int8) for _ in range(2))
        return lambda: torch._int_mm(a, b)
    a, b = (torch.randn(side, side).to(DTYPES[dtype]) for _ in range(2))
    out = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=out)


def core_rate(dtype: str, threads: int) -> float:
    """Operations per second of CPU time on one thread: on a busy machine the queue for a CPU does not count."""
    torch.set_num_threads(1)
    try:
        call = product(dtype, TRIAL_SIDE)
        return operations(TRIAL_SIDE) / min(timed(call, 1, time.thread_time) for _ in range(3))
    finally:
        torch.set_num_threads(threads)


def _rate_of(dtype: str, side: int) -> float:
    call = product(dtype, side)
    return operations(side) / min(timed(call, 1) for _ in range(3))


def _measure(name: str, dtype: str, side: int, call: Call, plan: Plan) -> Ceiling:
    return rate(
        name,
        operations(side),
        WAYS[name.rpartition("/")[2]](call, plan),
        "op/s" if dtype == "int8" else "flop/s",
        "2 n^3 for a product of two n x n matrices",
        {"n": side},
        {"threads": plan.threads[-1], "vectors": torch.backends.cpu.get_cpu_capability()},
    )
