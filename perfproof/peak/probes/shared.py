"""A GPU's shared memory: every thread of every multiprocessor reads 16 bytes at a time, free of bank conflicts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from perfproof.peak.found import Found, NotMeasured, rate
from perfproof.peak.plan import Plan
from perfproof.peak.probes._device_timing import Call, device_samples
from perfproof.peak.sampler import Sampler

devices = ("cuda",)
measures = ("shared/read",)
timeout = 90

THREADS, READS, ROUNDS = 512, 16, 2000  # a block's threads; reads of each in a round; rounds
BLOCKS_PER_SM = 4
SOURCE = Path(__file__).with_suffix(".cu")


class TorchStream:
    """torch's current stream, as cuda.core takes streams of others."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, torch.cuda.current_stream().cuda_stream


def probe(plan: Plan) -> Iterator[Found]:
    torch.cuda.set_device(plan.device)
    multiprocessors = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
    blocks = multiprocessors * BLOCKS_PER_SM
    call = _launcher(blocks)
    with Sampler(plan.device) as seen:
        seconds = device_samples(call, plan.repeats)
    counted = "16 bytes a thread and read, conflict-free, summed in registers"
    context = {"multiprocessors": multiprocessors, **seen.summary()}
    yield rate("shared/read", bytes_read(blocks), seconds, "bytes/s", counted, {"tile_bytes": 32768}, context)


def bytes_read(blocks: int) -> int:
    return blocks * THREADS * ROUNDS * READS * 16


def compile_kernel(architecture: str) -> Any:
    """The kernel as device code; needs no GPU."""
    try:
        from cuda.core import Program, ProgramOptions
    except ImportError as error:
        raise NotMeasured(f"cuda.core is not installed ({error}): pip install 'perfproof[cuda]'") from None
    return Program(SOURCE.read_text(), "c++", ProgramOptions(arch=architecture)).compile("cubin")


def _launcher(blocks: int) -> Call:
    major, minor = torch.cuda.get_device_capability()
    code = compile_kernel(f"sm_{major}{minor}")
    from cuda.core import Device, LaunchConfig, launch

    device = Device(torch.cuda.current_device())
    device.set_current()
    stream, kernel = device.create_stream(TorchStream()), code.get_kernel("read_shared")
    out = torch.empty(blocks * THREADS, device="cuda")
    config = LaunchConfig(grid=blocks, block=THREADS)
    return lambda: launch(stream, config, kernel, out.data_ptr(), np.int32(ROUNDS))
