"""The CPU as a snapshot stores it: model, cores, caches, and the settings that move its clock."""

import os
import platform
import re
import time
from typing import Any

from perfproof.machine import arm_cores, cgroup, kernel_files, layout, virtual_machine

BUSY_WINDOW_SECONDS = 0.1


def read_cpu() -> dict[str, Any]:
    return {
        "model": model(),
        "cores_physical": len(layout.cores(online_cpus())),
        "cores_logical": len(online_cpus()),
        "cores_allowed": layout.physical_cores(),
        "allowed_cpus": sorted(layout.allowed_cpus()),
        "quota_cpus": cgroup.cpu_quota(),
        "caches_bytes": caches(),
        "last_level_cache_bytes": layout.last_level_cache_bytes(),
        "governor": governor(),
        "turbo": turbo(),
        "smt": smt(),
        "numa_nodes": layout.numa_nodes(),
        "load_average": load_average(),
        "busy_share": busy_share(),
        "virtual_machine": virtual_machine.find(),
    }


def model() -> str:
    text = kernel_files.read_text("/proc/cpuinfo") or ""
    arm = arm_cores.processor_name(text)  # first: a 32-bit kernel also writes "model name: ARMv7 Processor rev 4"
    if arm:
        return arm
    match = re.search(r"^(?:model name|Model|cpu model)[ \t]*:[ \t]*(\S.*)$", text, re.MULTILINE)
    return match.group(1).strip() if match else platform.processor() or "unknown: /proc/cpuinfo names no model"


def online_cpus() -> set[int]:
    listed = kernel_files.parse_cpu_list(kernel_files.read_text(f"{layout.CPUS}/online"))
    return listed or set(range(os.cpu_count() or 1))


def caches() -> dict[str, int]:
    """Sizes of the first allowed CPU's caches: {"L1d": 49152, "L2": 2097152, "L3": 314572800}."""
    kinds = {"Data": "d", "Instruction": "i"}
    found = layout.caches_of(min(layout.allowed_cpus()))
    return {f"L{cache['level']}{kinds.get(cache['type'], '')}": cache["bytes"] for cache in found}


def governor() -> str:
    first = min(layout.allowed_cpus())
    text = kernel_files.read_text(f"{layout.CPUS}/cpu{first}/cpufreq/scaling_governor")
    return text or "unknown: the kernel shows no cpufreq"


def turbo() -> bool | str:
    off = kernel_files.read_int(f"{layout.CPUS}/intel_pstate/no_turbo")
    if off is not None:
        return off == 0
    boost = kernel_files.read_int(f"{layout.CPUS}/cpufreq/boost")
    return "unknown: the kernel shows no boost setting" if boost is None else boost == 1


def smt() -> bool | str:
    active = kernel_files.read_int(f"{layout.CPUS}/smt/active")
    return "unknown: the kernel shows no smt setting" if active is None else active == 1


def load_average() -> list[float] | None:
    try:
        return [round(value, 2) for value in os.getloadavg()]
    except OSError:
        return None


def busy_share() -> float | None:
    """Share of all CPU time in use during a tenth of a second: what runs beside us now, not a minute ago."""
    before = _busy_and_total()
    time.sleep(BUSY_WINDOW_SECONDS)
    after = _busy_and_total()
    if before is None or after is None or after[1] <= before[1]:
        return None
    return round((after[0] - before[0]) / (after[1] - before[1]), 3)


def throttle_count() -> int | None:
    """How often heat has slowed the allowed cores since the start; None where the kernel does not count."""
    folders = (f"{layout.CPUS}/cpu{number}/thermal_throttle" for number in sorted(layout.allowed_cpus()))
    counts = [kernel_files.read_int(f"{folder}/core_throttle_count") for folder in folders]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _busy_and_total() -> tuple[int, int] | None:
    line = (kernel_files.read_text("/proc/stat") or "").partition("\n")[0].split()
    if len(line) < 6 or line[0] != "cpu" or not all(value.isdecimal() for value in line[1:9]):
        return None
    ticks = [int(value) for value in line[1:9]]  # guest time is already in user time
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)
