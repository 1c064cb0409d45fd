"""Virtual machine: a guest's cores are lent, and hardware counters are often kept from it."""

from perfproof.core.doctor import Finding
from perfproof.machine import virtual_machine

GROUP = "machine"
NAME = "bare metal"


def probe() -> Finding:
    return judge(virtual_machine.find())


def judge(found: bool | str) -> Finding:
    if found is False:
        return Finding(name=NAME, state="works", why="no hypervisor")
    if isinstance(found, str) and found.startswith("unknown: "):
        return Finding(name=NAME, state="unknown", why=found.removeprefix("unknown: "))
    name = "" if found is True else f" ({found})"
    return Finding(
        name=NAME, state="limited", why=f"a virtual machine{name}: times are noisy, neighbours cannot be seen"
    )
