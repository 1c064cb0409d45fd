"""Limits of this shell: locked memory (pinned buffers, InfiniBand) and open files (data loaders, servers)."""

import resource

from perfproof.core.doctor import Finding
from perfproof.core.units import GiB, binary_bytes
from perfproof.machine import kernel_files

GROUP = "machine"
NAME = "limits (ulimit)"
LEAST_LOCKED, LEAST_FILES = GiB, 65536
FILE = "/etc/security/limits.d/90-performance.conf"
UNLIMITED = resource.RLIM_INFINITY


def probe() -> Finding:
    locked, files = resource.getrlimit(resource.RLIMIT_MEMLOCK), resource.getrlimit(resource.RLIMIT_NOFILE)
    infiniband = bool(kernel_files.names("/sys/class/infiniband", "*"))
    return judge(locked[0], files, infiniband)


def judge(locked: int, files: tuple[int, int], infiniband: bool) -> Finding:
    """`files` is (soft, hard). CUDA pins memory without the limit on locked memory; InfiniBand does not."""
    shown = "unlimited" if locked == UNLIMITED else binary_bytes(locked)
    why = f"locked memory {shown}, open files {_count(files[0])} of at most {_count(files[1])}"
    lines = []
    if infiniband and locked != UNLIMITED and locked < LEAST_LOCKED:
        lines += ["* soft memlock unlimited", "* hard memlock unlimited"]
        why += "; InfiniBand can't register its buffers"
    if not _enough(files[1]):
        lines += [f"* soft nofile {LEAST_FILES}", f"* hard nofile {LEAST_FILES}"]
        why += "; a server or a data loader may run out of files"
    if not lines:
        soft = "" if _enough(files[0]) else f"; a server may need `ulimit -n {LEAST_FILES}`"
        return Finding(name=NAME, state="works", why=why + soft)
    quoted = " ".join(f"'{line}'" for line in lines)
    return Finding(name=NAME, state="limited", why=why, fix=f"printf '%s\\n' {quoted} | sudo tee {FILE}")


def _enough(files: int) -> bool:
    return files == UNLIMITED or files >= LEAST_FILES


def _count(files: int) -> str:
    return "unlimited" if files == UNLIMITED else str(files)
