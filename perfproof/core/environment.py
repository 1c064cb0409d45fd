"""The fields of a machine that explain why two runs on it may differ, as short text, and which of them changed."""

from collections.abc import Mapping
from typing import Any

CPU_FIELDS = ("model", "cores_physical", "cores_logical", "cores_allowed", "caches_bytes", "smt", "virtual_machine")
GPU_FIELDS = ("name", "memory_bytes", "mig")
PLAIN_FIELDS = ("device", "driver", "driver_cuda", "kernel", "container", "cgroup", "fingerprint")
NAMED = 6  # differences named in one line; the others are counted


def environment_fields(machine: Mapping[str, Any]) -> dict[str, str]:
    """From the snapshot that a run stores; what it does not hold is left out."""
    found = {f"cpu.{name}": machine["cpu"][name] for name in CPU_FIELDS if name in machine.get("cpu", {})}
    for number, gpu in enumerate(machine.get("gpus") or []):
        found |= {f"gpu{number}.{name}": gpu.get(name) for name in GPU_FIELDS}
    found |= {f"software.{name}": version for name, version in (machine.get("software") or {}).items()}
    if "total_bytes" in machine.get("memory", {}):
        found["memory.total_bytes"] = machine["memory"]["total_bytes"]
    found |= {name: machine[name] for name in PLAIN_FIELDS if name in machine}
    return {name: str(value) for name, value in found.items() if value is not None}


def changed_fields(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """ "driver: 550.54 -> 570.86" for every field that differs; the fingerprint only where nothing else does."""
    names = sorted({*before, *after} - {"fingerprint"})
    found = [
        f"{name}: {before.get(name, 'absent')} -> {after.get(name, 'absent')}"
        for name in names
        if before.get(name) != after.get(name)
    ]
    if not found and before.get("fingerprint") != after.get("fingerprint"):
        return [f"fingerprint: {before.get('fingerprint', 'absent')} -> {after.get('fingerprint', 'absent')}"]
    return found


def in_one_line(changed: list[str]) -> str:
    more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    return "; ".join(changed[:NAMED]) + more
