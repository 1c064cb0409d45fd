"""Virtual machine: a guest's cores are lent, and hardware counters are often kept from it."""

from perfproof.core.doctor import Finding
from perfproof.machine import cpu

GROUP = "machine"
NAME = "bare metal"


def probe() -> Finding:
    return judge(cpu.virtual_machine())


def judge(found: bool | str) -> Finding:
    if found is False:
        return Finding(name=NAME, state="works", why="no hypervisor")
    if isinstance(found, str) and found.startswith("unknown: "):
        return Finding(name=NAME, state="unknown", why=found.removeprefix("unknown: "))
    name = "" if found is True else f" ({found})"
    return Finding(
        name=NAME, state="limited", why=f"a virtual machine{name}: times are noisy, neighbours cannot be seen"
    )
