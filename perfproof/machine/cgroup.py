"""What the control group of this process allows: CPUs and memory, in version 1 and version 2 layouts.

A limit of any ancestor holds for the process, so the smallest on the way up counts. Inside a container the path that
/proc/self/cgroup names is often the host's and absent here; the levels that can be seen are the ones that are read.
"""

import math
from pathlib import PurePosixPath

from perfproof.machine import kernel_files

MOUNT = "/sys/fs/cgroup"
NO_LIMIT = 1 << 60  # version 1 writes a number of about 2**63 for "no limit"


def cpu_quota() -> float | None:
    """CPUs' worth of time this process may use; None without a limit."""
    quotas = []
    for level in _levels("cpu"):
        quota, period = _quota_and_period(level)
        if quota is not None and period and quota > 0:
            quotas.append(quota / period)
    return min(quotas, default=None)


def memory_limit() -> int | None:
    """Bytes of memory this process may use; None without a limit."""
    limits = []
    for level in _levels("memory"):
        limits.append(kernel_files.read_int(f"{level}/memory.max"))  # version 2 says "max", which is no number
        limits.append(kernel_files.read_int(f"{level}/memory.limit_in_bytes"))
    return min((limit for limit in limits if limit is not None and 0 < limit < NO_LIMIT), default=None)


def memory_left() -> float:
    """Bytes that this process and those beside it in its group may still take; infinite without a limit."""
    left = [math.inf]
    for level in _levels("memory"):
        for limit_file, used_file in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            limit, used = (kernel_files.read_int(f"{level}/{name}") for name in (limit_file, used_file))
            if limit is not None and used is not None and 0 < limit < NO_LIMIT:
                left.append(max(0.0, limit - used + _files_in_memory(level)))
    return min(left)


def _files_in_memory(level: str) -> int:
    """Bytes of files that are given up when memory is short."""
    for line in (kernel_files.read_text(f"{level}/memory.stat") or "").splitlines():
        name, _, value = line.partition(" ")
        if name in ("inactive_file", "total_inactive_file") and value.isdigit():
            return int(value)
    return 0


def version() -> str | None:
    if kernel_files.read_text(f"{MOUNT}/cgroup.controllers") is not None:
        return "v2"
    if kernel_files.read_text("/proc/self/cgroup") is not None:
        return "v1"
    return None


def _quota_and_period(level: str) -> tuple[int | None, int | None]:
    joined = kernel_files.read_text(f"{level}/cpu.max")
    if joined is not None:
        quota, _, period = joined.partition(" ")
        return (int(quota), int(period)) if quota.isdecimal() and period.isdecimal() else (None, None)
    return kernel_files.read_int(f"{level}/cpu.cfs_quota_us"), kernel_files.read_int(f"{level}/cpu.cfs_period_us")


def _levels(controller: str) -> list[str]:
    """The folders from this process's group up to the root, in the hierarchy that holds `controller`."""
    levels = []
    for line in (kernel_files.read_text("/proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if controllers and controller not in controllers.split(","):
            continue
        mount = f"{MOUNT}/{controllers}" if controllers else MOUNT
        path = PurePosixPath(group)
        levels += [f"{mount}{'' if str(step) == '/' else step}" for step in (path, *path.parents)]
        if controllers:  # the short name of a mount that joins controllers: /sys/fs/cgroup/cpu for cpu,cpuacct
            levels += [f"{MOUNT}/{controller}{'' if str(step) == '/' else step}" for step in (path, *path.parents)]
    return levels
