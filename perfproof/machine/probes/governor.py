"""The CPU's frequency governor: one that saves power makes short work slow and times noisy."""

from perfproof.core.doctor import Finding
from perfproof.machine import cpu

GROUP = "machine"
NAME = "CPU governor"
SAVING = ("powersave", "conservative", "ondemand")
FIX = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"


def probe() -> Finding:
    return judge(cpu.governor())


def judge(governor: str) -> Finding:
    if governor.startswith("unknown: "):
        return Finding(name=NAME, state="absent", why=f"{governor.removeprefix('unknown: ')}: the host sets the clock")
    if governor in SAVING:
        return Finding(name=NAME, state="limited", why=f"{governor}: the clock follows the load", fix=FIX)
    return Finding(name=NAME, state="works", why=governor)
