"""One look at the counters of /proc: what vmstat, mpstat, iostat and sar show is the difference of two looks.

What a file does not tell, or tells in a form that is not known, is missing from the reading: never 0.
"""

import re
import time
from dataclasses import dataclass, field

from perfproof.machine import kernel_files

STAT_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
DISK_FIELDS = ("reads", "read_sectors", "writes", "written_sectors", "busy_ms", "queue_ms")
DISK_PLACES = (3, 5, 7, 9, 12, 13)
NET_FIELDS = ("received_bytes", "received_errors", "received_drops", "sent_bytes", "sent_errors", "sent_drops")
NET_PLACES = (0, 2, 3, 8, 10, 11)
MEMINFO = ("MemTotal", "MemAvailable", "SwapTotal", "SwapFree")

Counts = dict[str, int]


@dataclass(frozen=True)
class Reading:
    at: float
    cpus: dict[str, Counts] = field(default_factory=dict)  # "cpu" is all of them together
    running: int | None = None
    blocked: int | None = None
    memory: Counts = field(default_factory=dict)  # KiB
    vmstat: Counts = field(default_factory=dict)
    disks: dict[str, Counts] = field(default_factory=dict)
    interfaces: dict[str, Counts] = field(default_factory=dict)
    tcp: Counts = field(default_factory=dict)
    pressure: dict[str, float] = field(default_factory=dict)  # share of the last ten seconds with some task waiting
    throttled_periods: int | None = None  # of this control group


def read_once() -> Reading:
    stat = kernel_files.read_text("/proc/stat")
    return Reading(
        at=time.monotonic(),
        cpus=parse_cpus(stat),
        running=parse_named(stat, "procs_running"),
        blocked=parse_named(stat, "procs_blocked"),
        memory=parse_memory(kernel_files.read_text("/proc/meminfo")),
        vmstat=parse_counts(kernel_files.read_text("/proc/vmstat")),
        disks=parse_disks(kernel_files.read_text("/proc/diskstats"), _whole_disks()),
        interfaces=parse_interfaces(kernel_files.read_text("/proc/net/dev")),
        tcp=parse_tcp(kernel_files.read_text("/proc/net/snmp")),
        pressure=read_pressure(),
        throttled_periods=parse_named(kernel_files.read_text("/sys/fs/cgroup/cpu.stat"), "nr_throttled"),
    )


def parse_cpus(text: str | None) -> dict[str, Counts]:
    """Ticks by state: "cpu0 1204 0 388 90211 17 0 25 0 0 0"."""
    found = {}
    for line in (text or "").splitlines():
        match = re.match(r"(cpu[0-9]*)((?: +[0-9]{1,20}){8,})", line)
        if match:
            found[match[1]] = dict(zip(STAT_FIELDS, map(int, match[2].split()), strict=False))
    return found


def parse_named(text: str | None, name: str) -> int | None:
    match = re.search(rf"^{name} ([0-9]{{1,20}})$", text or "", re.MULTILINE)
    return int(match[1]) if match else None


def parse_counts(text: str | None) -> Counts:
    return {name: int(value) for name, value in re.findall(r"^([a-z0-9_]+) ([0-9]{1,20})$", text or "", re.MULTILINE)}


def parse_memory(text: str | None) -> Counts:
    found = dict(re.findall(r"^([A-Za-z]+): +([0-9]{1,15}) kB$", text or "", re.MULTILINE))
    return {name: int(found[name]) for name in MEMINFO if name in found}


def parse_disks(text: str | None, disks: frozenset[str]) -> dict[str, Counts]:
    """Of whole disks: "254 0 vda 5321 10 ..."; a partition would count the same bytes again."""
    found = {}
    for line in (text or "").splitlines():
        fields = line.split()
        numbers = [*fields[:2], *fields[3:]]
        if len(fields) >= 14 and fields[2] in disks and all(number.isdecimal() for number in numbers):
            found[fields[2]] = {name: int(fields[place]) for name, place in zip(DISK_FIELDS, DISK_PLACES, strict=True)}
    return found


def parse_interfaces(text: str | None) -> dict[str, Counts]:
    found = {}
    for line in (text or "").splitlines():
        name, colon, rest = line.partition(":")
        fields = rest.split()
        if colon and len(fields) >= 16 and all(value.isdecimal() for value in fields):
            found[name.strip()] = {key: int(fields[at]) for key, at in zip(NET_FIELDS, NET_PLACES, strict=True)}
    return found


def parse_tcp(text: str | None) -> Counts:
    """The two lines of TCP: names, then values."""
    lines = [line.split()[1:] for line in (text or "").splitlines() if line.startswith("Tcp:")]
    if len(lines) != 2 or len(lines[0]) != len(lines[1]):
        return {}
    return {name: int(value) for name, value in zip(*lines, strict=True) if re.fullmatch(r"-?[0-9]{1,20}", value)}


def parse_pressure(text: str | None) -> float | None:
    match = re.search(r"^some avg10=([0-9]{1,3}\.[0-9]{1,4}) ", text or "", re.MULTILINE)
    return float(match[1]) / 100 if match else None


def read_pressure() -> dict[str, float]:
    shares = {
        name: parse_pressure(kernel_files.read_text(f"/proc/pressure/{name}")) for name in ("cpu", "memory", "io")
    }
    return {name: share for name, share in shares.items() if share is not None}


def _whole_disks() -> frozenset[str]:
    names = kernel_files.names("/sys/block", "*")
    return frozenset(name for name in names if not name.startswith(("loop", "ram", "zram", "sr", "fd")))
