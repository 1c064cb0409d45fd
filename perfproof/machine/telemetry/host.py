"""Readings of the host from /proc: files are kept open and read again from their start; parsers touch few bytes.

A parser gives None for content that it does not understand: that column is unknown, never zero.
"""

import os
from collections.abc import Callable

from perfproof.machine import kernel_files
from perfproof.machine.energy import HostEnergy
from perfproof.machine.telemetry import columns
from perfproof.machine.telemetry.columns import Column, Group, Value, together

Values = tuple[int | float, ...]
TICKS = os.sysconf("SC_CLK_TCK")
CPU_SHARE, SHARE = 0.0015, 0.0005  # of a core: on hosts of hundreds of CPUs /proc/stat alone takes milliseconds
SECTOR = 512  # of /proc/diskstats, whatever the disk's own is
REST_PER_SECOND, CORES_PER_SECOND = 5, 2


def open_host(hz: float) -> tuple[list[Group], dict[str, str]]:
    """The groups of the host, and why columns are missing: CPU time at every tick if cheap, the rest less often."""
    cpu, cores = File("/proc/stat", (columns.CPU_SECONDS, columns.SWITCHES), parse_stat), open_cores()
    rest: list[File | Rapl] = [*(File(path, wanted, parse) for path, wanted, parse in _files()), Rapl()]
    unknown = {f"host.{column.name}": part.why for part in (cpu, *rest) if part.why for column in part.columns}
    unknown |= {"host.cores": cores.why} if cores.why else {}
    groups = [
        together("host", [part for part in (cpu,) if not part.why], share=CPU_SHARE),
        together("host", [part for part in rest if not part.why], max(1, round(hz / REST_PER_SECOND)), SHARE),
        together("host", [part for part in (cores,) if not part.why], max(1, round(hz / CORES_PER_SECOND)), SHARE),
    ]
    return [group for group in groups if group.columns], unknown


class Rapl:
    """The energy of the processor packages."""

    def __init__(self) -> None:
        self.columns, self.energy = (columns.HOST_ENERGY,), HostEnergy()
        self.energy.joules()
        self.why = self.energy.why

    def read(self) -> list[Value]:
        return [self.energy.joules()]


class File:
    """One file of /proc and the columns that its parser gives."""

    def __init__(self, path: str, wanted: tuple[Column, ...], parse: Callable[[bytes], Values | None]) -> None:
        self.columns, self.parse, self.why = wanted, parse, ""
        try:
            self.descriptor = os.open(kernel_files.ROOT / path.lstrip("/"), os.O_RDONLY)
        except OSError as error:
            self.why = f"{path}: {error.strerror}"
            return
        if self.read()[0] is None:
            self.why = f"{path}: its content is not understood"

    def read(self) -> list[Value]:
        try:
            values = self.parse(read_again(self.descriptor))
        except (OSError, ValueError, IndexError):
            values = None
        return [None] * len(self.columns) if values is None else list(values)


def read_again(descriptor: int) -> bytes:
    """A whole file of /proc from its start. One call nearly always: the files are small, and written when read."""
    size = 65536
    data = os.pread(descriptor, size, 0)
    while len(data) == size:
        size *= 4
        data = os.pread(descriptor, size, 0)
    return data


def open_cores() -> File:
    """Every CPU on its own, in the order in which /proc/stat has them."""
    text = (kernel_files.read_text("/proc/stat") or "").splitlines()
    names = [line.split()[0][3:] for line in text if line.startswith("cpu")]
    wanted = tuple(columns.core_seconds(int(name)) for name in names if name.isdigit())
    return File("/proc/stat", wanted, lambda data: parse_cores(data, len(wanted)))


def parse_stat(data: bytes) -> Values | None:
    """CPU seconds in use by all, and context switches."""
    switches = data.find(b"\nctxt ")
    if not data.startswith(b"cpu ") or switches < 0:
        return None
    return _busy_seconds(data[: data.index(b"\n")]), int(data[switches + 6 : data.index(b"\n", switches + 6)])


def parse_cores(data: bytes, count: int) -> Values | None:
    lines = [line for line in data[: data.find(b"\nintr")].split(b"\n")[1:] if line.startswith(b"cpu")]
    return tuple(_busy_seconds(line) for line in lines) if count and len(lines) == count else None


def parse_load(data: bytes) -> Values | None:
    return (float(data.split(None, 1)[0]),)


def parse_memory(data: bytes) -> Values | None:
    """Memory and swap in use, in bytes."""
    total, available = _kibibytes(data, b"MemTotal:"), _kibibytes(data, b"\nMemAvailable:")
    swap, swap_free = _kibibytes(data, b"\nSwapTotal:"), _kibibytes(data, b"\nSwapFree:")
    return (total - available) * 1024, (swap - swap_free) * 1024


def parse_disks(data: bytes, disks: frozenset[bytes]) -> Values | None:
    """Bytes read and written by these disks."""
    read = written = seen = 0
    for line in data.splitlines():
        fields = line.split(None, 10)
        if fields[2] in disks:
            seen, read, written = seen + 1, read + int(fields[5]), written + int(fields[9])
    return (read * SECTOR, written * SECTOR) if seen else None


def parse_network(data: bytes, interfaces: frozenset[bytes]) -> Values | None:
    """Bytes received and sent over these interfaces."""
    received = sent = seen = 0
    for line in data.splitlines()[2:]:
        name, _, rest = line.partition(b":")
        if name.strip() in interfaces:
            fields = rest.split(None, 9)
            seen, received, sent = seen + 1, received + int(fields[0]), sent + int(fields[8])
    return (received, sent) if seen else None


def real_disks() -> frozenset[bytes]:
    """Disks that stand for hardware: partitions, RAID and compressed memory would count the same bytes again."""
    names = kernel_files.names("/sys/block", "*")
    return frozenset(name.encode() for name in names if kernel_files.names(f"/sys/block/{name}", "device"))


def real_interfaces() -> frozenset[bytes]:
    """Network cards; inside a container, which has none of its own, every interface but the loopback."""
    names = [name for name in kernel_files.names("/sys/class/net", "*") if name != "lo"]
    cards = [name for name in names if kernel_files.names(f"/sys/class/net/{name}", "device")]
    return frozenset(name.encode() for name in cards or names)


def _files() -> list[tuple[str, tuple[Column, ...], Callable[[bytes], Values | None]]]:
    disks, interfaces = real_disks(), real_interfaces()
    read, written = columns.traffic("disk_read", "read from disks"), columns.traffic("disk_written", "written to disks")
    received = columns.traffic("net_received", "received over the network")
    sent = columns.traffic("net_sent", "sent over the network")
    return [
        ("/proc/loadavg", (columns.LOAD,), parse_load),
        ("/proc/meminfo", (columns.HOST_MEMORY, columns.SWAP), parse_memory),
        ("/proc/diskstats", (read, written), lambda data: parse_disks(data, disks)),
        ("/proc/net/dev", (received, sent), lambda data: parse_network(data, interfaces)),
    ]


def _busy_seconds(line: bytes) -> float:
    """All but idle and waiting for a disk; guest time, the last two fields, is in user time already."""
    ticks = [int(field) for field in line.split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / TICKS


def _kibibytes(data: bytes, key: bytes) -> int:
    start = data.index(key) + len(key)
    return int(data[start : data.index(b"kB", start)])
