"""A GPU's memory: copy, read and write of buffers far larger than its L2, by the best of a few plain ways each."""

import statistics
from collections.abc import Iterator
from typing import Any

import torch
import triton
import triton.language as tl

from perfproof.core.ceilings import Ceiling
from perfproof.core.units import MiB
from perfproof.peak.found import Found, NotMeasured, attempt, rate, reason
from perfproof.peak.plan import Plan
from perfproof.peak.probes._device_timing import Call, device_samples
from perfproof.peak.sampler import Sampler

devices = ("cuda",)
measures = ("memory/copy", "memory/read", "memory/write")
timeout = 180

BLOCK = 8192  # elements a program of a Triton kernel handles at once
WARPS = 8
LOOKS = 7  # batches of each way; the best is then measured anew
L2_TIMES = 10  # a buffer is at least so many times the L2
PASSES = {"copy": 2, "read": 1, "write": 1}  # times each byte of the buffer crosses the bus
COUNTED = {
    "copy": "every byte read once and written once: twice the buffer",
    "read": "every byte read once, one sum out",
    "write": "every byte written once",
}


def probe(plan: Plan) -> Iterator[Found]:
    torch.cuda.set_device(plan.device)
    size = buffer_bytes(plan, torch.cuda.mem_get_info()[0])
    for way in PASSES:
        name = f"memory/{way}"
        if plan.wants(name):
            yield from attempt(name, _measure, name, way, size, plan)
            torch.cuda.empty_cache()


def buffer_bytes(plan: Plan, free_bytes: int) -> int:
    return min(plan.device_bytes, free_bytes // 4) // MiB * MiB


def candidates(way: str, size: int) -> dict[str, Call]:
    """Ways to move the bytes; the best one is the ceiling. Values are normal random numbers."""
    count = size // 4
    source = torch.randn(count, device="cuda") if way != "write" else torch.empty(count, device="cuda")
    blocks = triton.cdiv(count, BLOCK)
    if way == "write":
        return {
            "torch fill_": lambda: source.fill_(1.2345),
            "triton store": lambda: store[(blocks,)](source, count, BLOCK=BLOCK, num_warps=WARPS),
        }
    if way == "read":
        sums = torch.empty(blocks, device="cuda")
        return {
            "torch sum": lambda: torch.sum(source),
            "torch amax": lambda: torch.amax(source),
            "triton sum": lambda: partial_sums[(blocks,)](source, sums, count, BLOCK=BLOCK, num_warps=WARPS),
        }
    target = torch.empty_like(source)
    return {
        "torch copy_": lambda: target.copy_(source),
        "torch mul out": lambda: torch.mul(source, 1.5, out=target),
        "triton copy": lambda: copy[(blocks,)](source, target, count, BLOCK=BLOCK, num_warps=WARPS),
    }


def best_of(tries: dict[str, Call]) -> tuple[str, dict[str, Any]]:
    """The name of the quickest way, and what every way took."""
    seen: dict[str, Any] = {}
    for name, call in tries.items():
        try:
            seen[name] = statistics.median(device_samples(call, LOOKS))
        except Exception as error:
            seen[name] = f"failed: {reason(error)}"
    taken = {name: seconds for name, seconds in seen.items() if isinstance(seconds, float)}
    if not taken:
        raise NotMeasured(f"every way failed: {seen}")
    return min(taken, key=lambda name: taken[name]), seen


def _measure(name: str, way: str, size: int, plan: Plan) -> Ceiling:
    l2 = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
    if size < L2_TIMES * l2:
        raise NotMeasured(f"a buffer of {size // MiB} MiB is not {L2_TIMES} times the L2: too little free memory")
    tries = candidates(way, size)
    best, tried = best_of(tries)
    with Sampler(plan.device) as seen:
        seconds = device_samples(tries[best], plan.repeats)
    context = {"by": best, "seconds_by_way": tried, "l2_bytes": l2, **seen.summary()}
    return rate(name, PASSES[way] * size, seconds, "bytes/s", COUNTED[way], {"buffer_bytes": size}, context)


@triton.jit
def copy(source, target, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < count), mask=at < count)


@triton.jit
def partial_sums(source, sums, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(sums + tl.program_id(0), tl.sum(tl.load(source + at, mask=at < count, other=0.0)))


@triton.jit
def store(target, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    noise = ((at * 2654435761) & 0xFFFFFF).to(tl.float32) * 1e-6 - 8.0  # different everywhere, at no cost in memory
    tl.store(target + at, noise, mask=at < count)
