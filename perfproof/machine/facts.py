"""The facts that decide whether a target can run here, read without importing torch."""

import re

from perfproof.core.errors import UnfitError, UsageError
from perfproof.core.facts import Facts
from perfproof.machine import gpus, layout, software


def read_facts(device: str | None = None) -> Facts:
    """Facts for `device`: "cpu", "cuda", "cuda:1"; None takes the first GPU that torch can use, else the CPU."""
    wanted = _parse_device(device)
    usable, why_not = usable_gpus()
    if wanted is None and device is None and usable:
        wanted = 0
    if wanted is None:
        why_not = why_not or "the run is on the CPU: --device cpu"
        return Facts("cpu", None, len(usable), layout.numa_nodes(), software.has_package, why_not)
    if wanted >= len(usable):
        raise UnfitError(_refusal(wanted, len(usable), why_not))
    return Facts(
        device=f"cuda:{wanted}",
        cuda=usable[wanted].capability,
        gpus=len(usable),
        numa=layout.numa_nodes(),
        has_package=software.has_package,
    )


def usable_gpus() -> tuple[tuple[gpus.Gpu, ...], str]:
    """GPUs in torch's order, or none and the reason why."""
    build = software.torch_build()
    if not build:
        return (), "torch is not installed"
    if build.get("cuda") is None:
        return (), "torch is a ROCm build" if build.get("hip") else "torch is a CPU build"
    machine = gpus.read_gpus()
    if not machine.found:
        return (), machine.why_none
    seen = gpus.visible(machine.found)
    return seen, "" if seen else "CUDA_VISIBLE_DEVICES hides every GPU"


def _parse_device(device: str | None) -> int | None:
    """The number of the GPU that is asked for; None for the CPU or for no wish."""
    if device is None or device == "cpu":
        return None
    match = re.fullmatch(r"cuda(?::(\d+))?", device)
    if match is None:
        raise UsageError(f"unknown device {device!r}: write cpu, cuda, or cuda:0 with the number of the GPU")
    return int(match.group(1) or 0)


def _refusal(wanted: int, usable: int, why_not: str) -> str:
    if usable == 0:
        return f"cuda:{wanted} was asked for, but there is no usable GPU: {why_not}; run with --device cpu"
    return f"cuda:{wanted} was asked for, but torch can use {usable} (cuda:0 to cuda:{usable - 1}); choose one of those"
