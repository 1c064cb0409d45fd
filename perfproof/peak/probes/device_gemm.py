"""Matrix multiplication on a GPU, by type: in short bursts after a rest, and over seconds of continuous work.

The two differ because a GPU at full arithmetic load reaches its power limit and lowers its clock: the clock and the
power that were seen are kept with each figure, and the operations a clock cycle, in which the two agree.
"""

import statistics
from collections.abc import Callable, Iterator
from typing import Any

import torch

from perfproof.core.ceilings import Ceiling
from perfproof.peak.found import Found, Missing, NotMeasured, attempt, rate, reason
from perfproof.peak.plan import Plan
from perfproof.peak.probes._device_timing import Call, Taken, device_bursts, device_samples, device_sustained
from perfproof.peak.sampler import Sampler

devices = ("cuda",)
measures = (
    "gemm/fp64/*",
    "gemm/fp32/*",
    "gemm/tf32/*",
    "gemm/fp16/*",
    "gemm/bf16/*",
    "gemm/fp8/*",
    "gemm/int8/*",
)
timeout = 300

# The types that models compute in come first: --quick may end before the last.
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn, "tf32": torch.float32}
TYPES |= {"fp32": torch.float32, "fp64": torch.float64, "int8": torch.int8}
SIDES = {"fp64": (4096,), "fp32": (4096, 8192)}  # the others: 4096, 8192 and 16384
WAYS: dict[str, Callable[[Call, Plan], Taken]] = {"burst": device_bursts, "sustained": device_sustained}


def probe(plan: Plan) -> Iterator[Found]:
    torch.cuda.set_device(plan.device)
    for dtype, ways in order(plan.quick):
        names = [name for way in ways if plan.wants(name := f"gemm/{dtype}/{way}")]
        if names:
            yield from _measured(dtype, names, plan)
            torch.cuda.empty_cache()


def order(quick: bool) -> list[tuple[str, list[str]]]:
    """Types with the ways they are measured in; quickly, the bursts of all of them first."""
    return [(dtype, [way]) for way in WAYS for dtype in TYPES] if quick else [(dtype, [*WAYS]) for dtype in TYPES]


def _measured(dtype: str, names: list[str], plan: Plan) -> Iterator[Found]:
    try:
        side = best_side(dtype, plan)
    except Exception as error:
        yield from (Missing(name, reason(error)) for name in names)
        return
    call = product(dtype, side)
    for name in names:
        yield from attempt(name, _measure, name, dtype, side, call, plan)


def operations(side: int) -> int:
    return 2 * side**3


def sides(dtype: str, plan: Plan, free_bytes: int) -> list[int]:
    """Squares that fit: quickly 8192 where it is among them; operands and result take at most 24 bytes an element."""
    fitting = [side for side in SIDES.get(dtype, (4096, 8192, 16384)) if 24 * side**2 <= free_bytes // 2]
    return [side for side in fitting if side == 8192] or fitting if plan.quick else fitting


def best_side(dtype: str, plan: Plan) -> int:
    if dtype == "fp8" and torch.cuda.get_device_capability() < (8, 9):
        raise NotMeasured("fp8 needs a GPU of capability 8.9 or newer")
    if dtype in ("bf16", "tf32") and torch.cuda.get_device_capability() < (8, 0):
        raise NotMeasured(f"{dtype} needs a GPU of capability 8.0 or newer")
    fitting = sides(dtype, plan, torch.cuda.mem_get_info()[0])
    if not fitting:
        raise NotMeasured("too little free memory on the GPU")
    if len(fitting) == 1:
        return fitting[0]
    return max(fitting, key=lambda side: operations(side) / _quick_look(dtype, side))


def product(dtype: str, side: int) -> Call:
    """A call that multiplies two random matrices; fp32 keeps all its bits, tf32 rounds the operands to ten."""
    torch.set_float32_matmul_precision("high" if dtype == "tf32" else "highest")
    if dtype == "int8":
        a, b = (_normal(side).mul_(32).clamp_(-127, 127).to(torch.int8) for _ in range(2))
        across = b.t()
        return lambda: torch._int_mm(a, across)
    if dtype == "fp8":
        a, b = (_normal(side).to(torch.float8_e4m3fn) for _ in range(2))
        one, across = torch.ones((), device="cuda"), b.t()
        return lambda: torch._scaled_mm(
            a, across, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True
        )
    a, b = (_normal(side).to(TYPES[dtype]) for _ in range(2))
    out = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=out)


def _normal(side: int) -> torch.Tensor:
    return torch.randn(side, side, device="cuda")


def _quick_look(dtype: str, side: int) -> float:
    return statistics.median(device_samples(product(dtype, side), 3, warm_seconds=0.2))


def _measure(name: str, dtype: str, side: int, call: Call, plan: Plan) -> Ceiling:
    with Sampler(plan.device) as seen:
        taken = WAYS[name.rpartition("/")[2]](call, plan)
    found = rate(
        name,
        operations(side),
        taken.seconds,
        "op/s" if dtype == "int8" else "flop/s",
        "2 n^3 for a product of two dense n x n matrices of normal random values",
        {"n": side},
        seen.summary(taken.windows),
    )
    found.context |= explained(found.value, found.context)
    return found


def explained(value: float, context: dict[str, Any]) -> dict[str, Any]:
    """Operations a multiprocessor did in a clock cycle: what is left when the clock is taken out."""
    if "sm_mhz" not in context:
        return {}
    count = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
    return {"operations_per_sm_and_cycle": round(value / (context["sm_mhz"] * 1e6 * count), 1)}
