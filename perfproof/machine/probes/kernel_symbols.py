"""Kernel symbols: names for kernel functions in CPU profiles."""

from perfproof.core.doctor import Finding
from perfproof.machine import kernel_files, privileges

GROUP = "counters"
NAME = "kernel symbols"
RESTRICT = "/proc/sys/kernel/kptr_restrict"
FIX = "sudo sysctl kernel.kptr_restrict=0"


def probe() -> Finding:
    return judge(kernel_files.read_text(RESTRICT), privileges.has("CAP_SYSLOG"))


def judge(restrict: str | None, capable: bool | None) -> Finding:
    if restrict is None:
        return Finding(name=NAME, state="absent", why=f"{RESTRICT} cannot be read")
    if restrict == "0" or (restrict == "1" and capable):
        return Finding(name=NAME, state="works", why=f"kptr_restrict is {restrict}")
    if restrict in ("1", "2"):
        why = f"kptr_restrict is {restrict}: kernel functions appear as addresses"
        return Finding(name=NAME, state="limited", why=why, fix=FIX)
    return Finding(name=NAME, state="unknown", why=f"{RESTRICT} is {kernel_files.STRANGE}")
