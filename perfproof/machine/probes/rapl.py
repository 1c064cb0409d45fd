"""RAPL: energy of the processor packages."""

from perfproof.core.doctor import Finding
from perfproof.machine import kernel_files, virtual_machine

GROUP = "counters"
NAME = "RAPL energy"
POWERCAP = "/sys/class/powercap"
FIX = f"sudo chmod a+r {POWERCAP}/intel-rapl:*/energy_uj"


def probe() -> Finding:
    packages = kernel_files.names(POWERCAP, "intel-rapl:[0-9]*")
    values = [kernel_files.read_int(f"{POWERCAP}/{name}/energy_uj") for name in packages]
    return judge(values, bool(virtual_machine.find()))


def judge(values: list[int | None], virtual: bool) -> Finding:
    if not values:
        why = "a virtual machine is not shown its host's energy" if virtual else f"{POWERCAP} lists no package"
        return Finding(name=NAME, state="absent", why=why, fix="" if virtual else "sudo modprobe intel_rapl_msr")
    if None in values:
        why = f"{values.count(None)} of {len(values)} counters may be read by root only"
        return Finding(name=NAME, state="denied", why=why, fix=FIX)
    return Finding(name=NAME, state="works", why=f"{len(values)} counters")
