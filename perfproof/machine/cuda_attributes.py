"""What the CUDA driver tells of a device and NVML does not: multiprocessors, L2, shared memory, registers."""

import json
import os
from typing import Any

from perfproof.machine.asking import ask_child

NAMES = ("multiprocessors", "memory_bus_bits", "l2_bytes", "shared_memory_per_sm_bytes", "registers_per_sm")


def read(pci: list[str]) -> list[dict[str, int | str]]:
    """For each GPU, by its PCI folder, its attributes or why they are unknown. Nothing is asked without a GPU."""
    if not pci:
        return []
    answer = ask_child("cuda_attributes")
    devices, why = (None, answer.why) if answer.why else parse(answer.out)
    return [_of(one, devices, why) for one in pci]


def parse(text: str) -> tuple[dict[str, dict[str, Any]] | None, str]:
    """Devices by PCI folder, or None and why."""
    try:
        found = json.loads(text)
        if "why" in found:
            return None, str(found["why"])
        return {str(device["pci"]): dict(device) for device in found["devices"]}, ""
    except (ValueError, KeyError, TypeError):
        return None, "the CUDA driver's answer is in a form that is not known"


def _of(pci: str, devices: dict[str, dict[str, Any]] | None, why: str) -> dict[str, int | str]:
    device = (devices or {}).get(pci)
    if device is None:
        hidden = "CUDA_VISIBLE_DEVICES hides it" if "CUDA_VISIBLE_DEVICES" in os.environ else "CUDA does not list it"
        return dict.fromkeys(NAMES, f"unknown: {why or hidden}")
    values = {name: device.get(name) for name in NAMES}
    known = "unknown: the driver does not tell"
    return {
        name: value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else known
        for name, value in values.items()
    }
