"""What this machine is at this moment, as one dict that is stored with a run.

It holds no host name, no user name and no serial number: machines are told apart by `fingerprint`, a hash of the
fields that decide performance. `kind` is the short name under which results of like machines are kept together.
"""

import hashlib
import json
import os
import platform
import re
from typing import Any

from perfproof.machine import cgroup, cpu, facts, gpus, kernel_files, memory, power_supply, software

CPU_DECIDES = ("model", "cores_physical", "cores_logical", "cores_allowed", "caches_bytes", "smt")


def snapshot(device: str) -> dict[str, Any]:
    """The machine as `device` ("cpu", "cuda:0") sees it. Takes a tenth of a second and changes nothing."""
    driver = gpus.read_gpus()
    before = disturbances()
    seen: dict[str, Any] = {
        "device": device,
        "cpu": cpu.read_cpu(),
        "memory": read_memory(),
        "cgroup": cgroup.version(),
        "container": in_container(),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "gpus": [gpu.details for gpu in driver.found],
        "why_no_gpu": driver.why_none,
        "driver": driver.driver,
        "driver_cuda": driver.driver_cuda,
        "software": software.versions(),
    }
    seen["gpu"] = _gpu_of(device)
    seen["moment"] = _moment(before, disturbances())
    seen["kind"] = kind(seen)
    seen["fingerprint"] = fingerprint(seen)
    return seen


def read_memory() -> dict[str, int | None]:
    """None for what the kernel does not tell."""
    found = memory.read_memory()
    told = {"total_bytes": found.total_bytes, "available_bytes": found.available_bytes}
    known = {name: size if isinstance(size, int) else None for name, size in told.items()}
    return known | {"cgroup_limit_bytes": cgroup.memory_limit()}


def disturbances() -> dict[str, int | None]:
    """Counters that stand still on a fit machine: pages swapped, and times that a core was slowed because of heat."""
    return {"swapped_pages": memory.swapped_pages(), "throttled": cpu.throttle_count()}


def _moment(before: dict[str, int | None], after: dict[str, int | None]) -> dict[str, Any]:
    """What went on while the machine was looked at; None where nothing tells."""
    moved: dict[str, Any] = {}
    for name, was in before.items():
        now = after[name]
        moved[name] = None if was is None or now is None else now - was
    return moved | {"memory_pressure": memory.pressure(), "on_battery": power_supply.on_battery()}


def in_container() -> bool:
    marks = (kernel_files.ROOT / ".dockerenv", kernel_files.ROOT / "run/.containerenv")
    return any(mark.exists() for mark in marks) or "KUBERNETES_SERVICE_HOST" in os.environ


def fingerprint(seen: dict[str, Any]) -> str:
    """Equal for machines that should perform alike, and over reboots of one machine."""
    deciding = {
        "cpu": [seen["cpu"][field] for field in CPU_DECIDES],
        "virtual_machine": seen["cpu"]["virtual_machine"],
        "gpus": [[gpu["name"], gpu["memory_bytes"], gpu["mig"]] for gpu in seen["gpus"]],
        "driver": seen["driver"],
        "software": {name: seen["software"].get(name) for name in ("python", "torch", "torch_cuda", "triton", "numpy")},
    }
    return hashlib.sha256(json.dumps(deciding, sort_keys=True, default=str).encode()).hexdigest()[:16]


def kind(seen: dict[str, Any]) -> str:
    """A short slug: "nvidia-h200" for a GPU, "xeon-2c", "epyc-9654-96c" or "aws-graviton3-64c" for a CPU."""
    if seen.get("gpu") is not None:
        return _slug(str(seen["gpus"][seen["gpu"]]["name"]))
    name = re.sub(r"\([^()]*\)|@.*$|\b\d+-Core\b|\b\d+th Gen\b|\bwith\b.*$", " ", str(seen["cpu"]["model"]))
    words = [word for word in name.split() if word.lower() not in ("intel", "amd", "processor", "cpu")]
    if words[:1] == ["unknown:"]:
        words = ["unknown", platform.machine(), "cpu"]
    return _slug(" ".join([*words[:3], f"{seen['cpu']['cores_physical']}c"]))


def _gpu_of(device: str) -> int | None:
    """The place in the driver's list of the GPU that torch calls `device`."""
    if not device.startswith("cuda"):
        return None
    usable, _ = facts.usable_gpus()
    number = int(device.partition(":")[2] or 0)
    return usable[number].index if number < len(usable) else None


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
