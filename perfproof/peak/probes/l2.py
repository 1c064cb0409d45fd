"""A GPU's L2: every multiprocessor reads a working set of a quarter of it over and over, past the L1."""

from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from perfproof.core.units import MiB
from perfproof.peak.found import Found, NotMeasured, rate
from perfproof.peak.plan import Plan
from perfproof.peak.probes._device_timing import device_samples
from perfproof.peak.sampler import Sampler

devices = ("cuda",)
measures = ("l2/read",)
timeout = 90

BLOCK = 4096  # elements of a load: 256 threads, 16 each
WARPS = 8
PROGRAMS_PER_SM = 8
READ_BYTES = 16 * 2**30  # by one call, about


def probe(plan: Plan) -> Iterator[Found]:
    torch.cuda.set_device(plan.device)
    gpu = torch.cuda.get_device_properties(torch.cuda.current_device())
    size = working_set(gpu.L2_cache_size)
    data = torch.randn(size // 4, device="cuda")
    programs = gpu.multi_processor_count * PROGRAMS_PER_SM
    rounds = READ_BYTES // (programs * BLOCK * 4)
    sums = torch.empty(programs, device="cuda")

    def call() -> None:
        read_again[(programs,)](data, sums, size // 4 // BLOCK, rounds, BLOCK=BLOCK, num_warps=WARPS)

    call()  # compiles
    with Sampler(plan.device) as seen:
        seconds = device_samples(call, plan.repeats)
    work = bytes_read(programs, rounds)
    counted = "bytes loaded with the L1 passed over (ld.global.cg), the working set resident in L2"
    context = {"l2_bytes": gpu.L2_cache_size, **seen.summary()}
    yield rate("l2/read", work, seconds, "bytes/s", counted, {"working_set_bytes": size}, context)


def working_set(l2_bytes: int) -> int:
    """A quarter: the L2 of large GPUs is two halves that may hold a line twice."""
    size = l2_bytes // 4 // (BLOCK * 4) * (BLOCK * 4)
    if size < MiB // 4:
        raise NotMeasured(f"an L2 of {l2_bytes} bytes is too small to be told from the L1")
    return size


def bytes_read(programs: int, rounds: int) -> int:
    return programs * rounds * BLOCK * 4


@triton.jit
def read_again(data, sums, blocks, rounds, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for turn in range(rounds):
        block = (program + turn * tl.num_programs(0)) % blocks  # another place each turn
        total += tl.load(data + block * BLOCK + tl.arange(0, BLOCK), cache_modifier=".cg")
    tl.store(sums + program, tl.sum(total))
