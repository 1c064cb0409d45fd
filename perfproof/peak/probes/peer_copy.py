"""Copies from one GPU to another, where there are two."""

from collections.abc import Iterator

import torch

from perfproof.core.units import MiB
from perfproof.peak.found import Found, NotMeasured, rate
from perfproof.peak.plan import Plan
from perfproof.peak.probes._device_timing import device_samples, rotating

devices = ("cuda",)
measures = ("device-to-device/copy",)
timeout = 90

BYTES = 256 * MiB
BUFFERS = 2


def probe(plan: Plan) -> Iterator[Found]:
    count = torch.cuda.device_count()
    if count < 2:
        raise NotMeasured(f"needs two GPUs, torch can use {count}")
    torch.cuda.set_device(plan.device)
    here = torch.cuda.current_device()
    there = (here + 1) % count
    sources = [torch.randn(BYTES // 4, device=f"cuda:{here}") for _ in range(BUFFERS)]
    target = torch.empty(BYTES // 4, device=f"cuda:{there}")
    seconds = device_samples(rotating(lambda source: target.copy_(source, non_blocking=True), sources), plan.repeats)
    context = {"from": f"cuda:{here}", "to": f"cuda:{there}", "direct": torch.cuda.can_device_access_peer(here, there)}
    yield rate("device-to-device/copy", BYTES, seconds, "bytes/s", "bytes of the buffer, one direction", {}, context)
