"""Copies between main memory and a GPU, from pageable and from pinned memory, in both directions."""

from collections.abc import Iterator

import torch

from perfproof.core.ceilings import Ceiling
from perfproof.core.units import MiB
from perfproof.peak.found import Found, attempt, rate
from perfproof.peak.plan import Plan
from perfproof.peak.probes._device_timing import Call, device_samples, rotating
from perfproof.peak.timing import host_samples

devices = ("cuda",)
measures = (
    "host-to-device/pageable",
    "host-to-device/pinned",
    "device-to-host/pageable",
    "device-to-host/pinned",
)
timeout = 120

BUFFERS = 4  # in turn, so that the host's cache does not hold the next one


def probe(plan: Plan) -> Iterator[Found]:
    torch.cuda.set_device(plan.device)
    size = buffer_bytes(plan)
    for name in measures:
        if plan.wants(name):
            yield from attempt(name, _measure, name, size, plan)


def buffer_bytes(plan: Plan) -> int:
    return max(MiB, min(256 * MiB, plan.memory_bytes // (2 * BUFFERS)) // MiB * MiB)


def transfer(name: str, size: int) -> Call:
    direction, _, memory = name.partition("/")
    device = torch.randn(size // 4, device="cuda")
    hosts = [torch.randn(MiB // 4).repeat(size // MiB) for _ in range(BUFFERS)]
    if memory == "pinned":
        hosts = [host.pin_memory() for host in hosts]
    if direction == "host-to-device":
        return rotating(lambda host: device.copy_(host, non_blocking=memory == "pinned"), hosts)
    return rotating(lambda host: host.copy_(device, non_blocking=memory == "pinned"), hosts)


def _measure(name: str, size: int, plan: Plan) -> Ceiling:
    """Pinned copies by the device's events; pageable ones pass through a staging buffer, so by the host's clock."""
    call = transfer(name, size)
    pinned = name.endswith("pinned")
    seconds = device_samples(call, plan.repeats) if pinned else host_samples(_and_wait(call), plan)
    counted = "bytes of the buffer, one direction"
    return rate(name, size, seconds, "bytes/s", counted, {"buffer_bytes": size}, {"buffers_in_turn": BUFFERS})


def _and_wait(call: Call) -> Call:
    def done() -> None:
        call()
        torch.cuda.synchronize()

    return done
