"""NUMA balancing: the kernel unmaps pages to see who uses them, and moves them while a program runs."""

from perfproof.core.doctor import Finding
from perfproof.machine import kernel_files, layout

GROUP = "machine"
NAME = "NUMA balancing"
SETTING = "/proc/sys/kernel/numa_balancing"
FIX = "sudo sysctl kernel.numa_balancing=0"


def probe() -> Finding:
    return judge(kernel_files.read_text(SETTING), layout.numa_nodes())


def judge(setting: str | None, nodes: int) -> Finding:
    if nodes < 2:
        return Finding(name=NAME, state="works", why="one NUMA node: nothing to balance")
    if setting is None:
        return Finding(name=NAME, state="unknown", why=f"{SETTING} cannot be read")
    if setting == "0":
        return Finding(name=NAME, state="works", why="off")
    if setting in ("1", "2", "3"):
        why = f"on, with {nodes} nodes: pages move during a run, and page faults are added"
        return Finding(name=NAME, state="limited", why=why, fix=FIX)
    return Finding(name=NAME, state="unknown", why=f"{SETTING} is {kernel_files.STRANGE}")
