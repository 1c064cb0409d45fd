"""Say what system this is: kernel, distribution, limits of the control group, container, clock source, commit."""

import platform
import re

from perfproof.core.triage_parts import TriageHost
from perfproof.machine import cgroup, kernel_files, virtual_machine
from perfproof.machine.git import read_git
from perfproof.machine.snapshot import in_container
from perfproof.triage.evidence import Evidence

DEADLINE = 6
CLOCKS = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
UPTIME = "/proc/uptime"


def collect(evidence: Evidence) -> None:
    release = evidence.read("/etc/os-release", keep="os-release")
    quota, memory = cgroup.cpu_quota(), cgroup.memory_limit()
    found = TriageHost(
        kernel=f"{platform.system()} {platform.release()} {platform.machine()}",
        distribution=pretty_name(release),
        container=in_container(),
        virtual_machine=virtual_machine.find(),
        cgroup=cgroup.version() or "unknown: the kernel shows no control groups",
        cpu_quota="no limit" if quota is None else quota,
        memory_limit_bytes="no limit" if memory is None else memory,
        clock_source=evidence.read(CLOCKS) or "unknown: the kernel shows no clock source",
        uptime_seconds=uptime(kernel_files.read_text(UPTIME)),
        git=read_git(),
    )
    evidence.save("host", found.model_dump())


def pretty_name(text: str | None) -> str:
    match = re.search(r'^PRETTY_NAME="?([^"\n]{1,200})"?$', text or "", re.MULTILINE)
    return match[1] if match else "unknown: /etc/os-release has no PRETTY_NAME"


def uptime(text: str | None) -> float | str:
    match = re.match(r"([0-9]{1,12}\.[0-9]{1,4}) ", f"{text or ''} ")
    return float(match[1]) if match else kernel_files.strange(UPTIME)
