"""How the cores of this machine lie: which ones a worker gets, how many threads, how large the last cache is.

Only what this process may use counts: its affinity mask, and its control group's share of CPU time.
"""

import os

from perfproof.core.child import ask
from perfproof.core.units import GiB, KiB, MiB
from perfproof.machine import cgroup, kernel_files

CPUS = "/sys/devices/system/cpu"
NODES = "/sys/devices/system/node"


def allowed_cpus() -> set[int]:
    """Logical CPUs this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def cores(cpus: set[int] | None = None) -> list[set[int]]:
    """Physical cores, each as the set of its logical CPUs among `cpus`, node by node, lowest CPU first."""
    left = set(allowed_cpus() if cpus is None else cpus)
    found = []
    for cpu in sorted(left):
        if cpu in left:
            siblings = (_siblings(cpu) & left) | {cpu}
            found.append(siblings)
            left -= siblings
    return sorted(found, key=lambda core: (node_of(min(core)), min(core)))


def physical_cores() -> int:
    """Physical cores that this process may run on."""
    return len(cores())


def default_threads() -> int:
    """All physical cores that affinity and control group allow, but one for the system and the parent."""
    quota = cgroup.cpu_quota()
    usable = physical_cores() if quota is None else min(physical_cores(), int(quota))
    return max(1, usable - 1)


def worker_cpus(threads: int) -> set[int]:
    """The CPUs to pin a worker to: one for each thread, each on its own core, its sibling idle.

    The first core stays with the system and the parent where there are at least two; a worker that asks for every
    core gets every core.
    """
    found = cores()
    free = found[1:] if threads < len(found) else found
    if threads > len(free):
        return set().union(*found)
    return {min(core) for core in free[:threads]}


def numa_nodes() -> int:
    """NUMA nodes that this process has CPUs of; memory without CPUs is near to nobody. A kernel may list none."""
    allowed = allowed_cpus()
    lists = [kernel_files.read_text(f"{NODES}/{name}/cpulist") for name in kernel_files.names(NODES, "node[0-9]*")]
    return sum(bool(kernel_files.parse_cpu_list(text) & allowed) for text in lists) or 1


def node_of(cpu: int) -> int:
    for name in kernel_files.names(f"{CPUS}/cpu{cpu}", "node[0-9]*"):
        return int(name.removeprefix("node"))
    return 0


def last_level_cache_bytes(cpus: set[int] | None = None) -> int | None:
    """Bytes of the last-level caches that these CPUs (all allowed ones) reach; None where nothing tells."""
    instances = {}
    for cpu in sorted(allowed_cpus() if cpus is None else cpus):
        caches = [cache for cache in caches_of(cpu) if cache["type"] != "Instruction"]
        if caches:
            last = max(caches, key=lambda cache: cache["level"])
            instances[last["level"], last["shared"]] = last["bytes"]
    if instances:
        deepest = max(level for level, _ in instances)
        return sum(size for (level, _), size in instances.items() if level == deepest)
    return _cache_by_getconf()


def caches_of(cpu: int) -> list[dict]:
    """The caches of one CPU: level, type, bytes, and the CPUs that share it."""
    found = []
    for name in kernel_files.names(f"{CPUS}/cpu{cpu}/cache", "index[0-9]*"):
        folder = f"{CPUS}/cpu{cpu}/cache/{name}"
        level, size = kernel_files.read_int(f"{folder}/level"), parse_size(kernel_files.read_text(f"{folder}/size"))
        if level is not None and size is not None:
            shared = kernel_files.read_text(f"{folder}/shared_cpu_list") or str(cpu)
            kind = kernel_files.read_text(f"{folder}/type") or "Unified"
            found.append({"level": level, "type": kind, "bytes": size, "shared": shared})
    return found


def parse_size(text: str | None) -> int | None:
    """The kernel's cache sizes: "2048K" is 2 MiB."""
    digits = (text or "").rstrip("KMG")
    if not digits.isdecimal():
        return None
    unit = {"K": KiB, "M": MiB, "G": GiB}.get((text or "")[-1], 1)
    return int(digits) * unit or None


def _siblings(cpu: int) -> set[int]:
    folder = f"{CPUS}/cpu{cpu}/topology"
    listed = kernel_files.read_text(f"{folder}/core_cpus_list") or kernel_files.read_text(
        f"{folder}/thread_siblings_list"  # the same list before Linux 5.4
    )
    return kernel_files.parse_cpu_list(listed)


def _cache_by_getconf() -> int | None:
    for level in (4, 3, 2):
        said = ask(["getconf", f"LEVEL{level}_CACHE_SIZE"], seconds=5).out.strip()
        if said.isdigit() and int(said) > 0:
            return int(said)
    return None
