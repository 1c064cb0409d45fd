"""Utilisation, saturation and errors of every resource, between two readings of /proc (and of NVML at the end).

The method is to look at all three of every resource before looking for a cause: a resource that is busy, one that
others wait for, and one that fails are three different findings.
"""

import re

from perfproof.core.triage import Number, UseRow, UseTable
from perfproof.machine import gpus, kernel_files, network
from perfproof.triage.readings import Counts, Reading

BUSY, WAITING = 0.9, 0.1  # shares from which a row carries a warning
TCP_RESENT = 0.01
SECTOR = 512


def table(before: Reading, after: Reading) -> UseTable:
    seconds = max(after.at - before.at, 1e-9)
    rows = [
        _cpu(before, after),
        _memory(before, after, seconds),
        *_disks(before, after, seconds),
        *_interfaces(before, after, seconds),
        _tcp(before, after),
        *_gpus(),
    ]
    return UseTable(seconds=round(seconds, 3), rows=[row for row in rows if row is not None])


def _cpu(before: Reading, after: Reading) -> UseRow:
    busy = busy_share(before.cpus.get("cpu"), after.cpus.get("cpu"))
    waiting = after.pressure.get("cpu")
    throttled = _moved(before.throttled_periods, after.throttled_periods)
    warnings = []
    if isinstance(busy, float) and busy >= BUSY:
        warnings.append("the CPUs are full")
    if isinstance(waiting, float) and waiting >= WAITING:
        warnings.append("tasks wait for a CPU")
    if isinstance(throttled, int) and throttled:
        warnings.append("the control group's CPU quota was used up")
    return UseRow(
        resource="CPU",
        utilisation=busy,
        saturation="unknown: /proc/pressure/cpu cannot be read" if waiting is None else waiting,
        errors=throttled,
        waits=f"share of 10 s in which a task waited for a CPU; {_said(after.running)} running now",
        faults="periods in which the control group was held back",
        warning="; ".join(warnings),
    )


def _memory(before: Reading, after: Reading, seconds: float) -> UseRow:
    total, available = after.memory.get("MemTotal"), after.memory.get("MemAvailable")
    used: Number = "unknown: /proc/meminfo is not understood"
    if total and available is not None:
        used = 1 - available / total
    swapped = _delta(before.vmstat, after.vmstat, "pswpin", "pswpout")
    killed = after.vmstat.get("oom_kill")
    warnings = []
    if isinstance(used, float) and used >= BUSY:
        warnings.append("memory is nearly full")
    if isinstance(swapped, int) and swapped:
        warnings.append("pages are swapped")
    if killed:
        warnings.append("the kernel has killed processes for memory since it started")
    return UseRow(
        resource="memory",
        utilisation=used,
        saturation=swapped / seconds if isinstance(swapped, int) else swapped,
        errors="unknown: /proc/vmstat does not count it" if killed is None else killed,
        waits=f"pages swapped a second; tasks waited {_share(after.pressure.get('memory'))} of 10 s",
        faults="processes killed for memory since the machine started",
        warning="; ".join(warnings),
    )


def _disks(before: Reading, after: Reading, seconds: float) -> list[UseRow]:
    rows = []
    for name, now in after.disks.items():
        was = before.disks.get(name)
        if was is None or now["reads"] + now["writes"] == 0:
            continue
        busy = min(1.0, (now["busy_ms"] - was["busy_ms"]) / 1000 / seconds)
        queue = (now["queue_ms"] - was["queue_ms"]) / 1000 / seconds
        moved = (now["read_sectors"] + now["written_sectors"] - was["read_sectors"] - was["written_sectors"]) * SECTOR
        rows.append(
            UseRow(
                resource=f"disk {name}",
                utilisation=busy,
                saturation=queue,
                errors=_io_errors(name),
                waits=f"requests in its queue, mean; {moved / seconds / 1e6:.1f} MB/s",
                faults="failed requests since it was attached",
                warning="the disk is busy all the time" if busy >= BUSY else "",
            )
        )
    return rows


def _io_errors(disk: str) -> int | str:
    """Hexadecimal: "0x3"."""
    text = kernel_files.read_text(f"/sys/block/{disk}/device/ioerr_cnt") or ""
    return int(text, 16) if re.fullmatch(r"0x[0-9a-f]{1,16}", text) else "unknown: the device does not count them"


def _interfaces(before: Reading, after: Reading, seconds: float) -> list[UseRow]:
    rows = []
    for name, now in after.interfaces.items():
        was = before.interfaces.get(name)
        if was is None or name == "lo" or now["received_bytes"] + now["sent_bytes"] == 0:
            continue
        received, sent = ((now[key] - was[key]) / seconds for key in ("received_bytes", "sent_bytes"))
        speed = network.parse_speed(kernel_files.read_text(f"{network.NET}/{name}/speed"))
        drops = _delta(was, now, "received_drops", "sent_drops")
        errors = _delta({}, now, "received_errors", "sent_errors")
        busy: Number = speed if isinstance(speed, str) else max(received, sent) * 8 / (speed * 1e6)
        rows.append(
            UseRow(
                resource=f"network {network.without_address(name)}",
                utilisation=busy,
                saturation=drops,
                errors=errors,
                waits=f"packets dropped; {received / 1e6:.1f} MB/s in, {sent / 1e6:.1f} MB/s out",
                faults="errors since the interface is up",
                warning="packets are dropped" if isinstance(drops, int) and drops else "",
            )
        )
    return rows


def _tcp(before: Reading, after: Reading) -> UseRow | None:
    sent, again = (_delta(before.tcp, after.tcp, key) for key in ("OutSegs", "RetransSegs"))
    if not isinstance(sent, int) or not isinstance(again, int):
        return None
    share = again / sent if sent else 0.0
    resets = _delta(before.tcp, after.tcp, "OutRsts")
    return UseRow(
        resource="TCP",
        utilisation="not applicable",
        saturation=share,
        errors=resets,
        waits=f"share of {sent} segments that were sent again",
        faults="connections reset by this machine",
        warning="segments are sent again: the network loses some" if share > TCP_RESENT and again > 10 else "",
    )


def _gpus() -> list[UseRow]:
    rows = []
    for gpu in gpus.read_gpus().found:
        seen, reasons = gpu.details, gpu.details["event_reasons"]
        busy = seen["utilisation_percent"]
        held = (
            [name for name in reasons if "thermal" in name or "slowdown" in name] if isinstance(reasons, list) else []
        )
        rows.append(
            UseRow(
                resource=f"GPU {gpu.index}",
                utilisation=busy if isinstance(busy, str) else busy / 100,
                saturation=", ".join(reasons) or "none" if isinstance(reasons, list) else reasons,
                errors="see gpu.json",
                waits="what holds its clocks; utilisation is time with any kernel, not the use of the SMs",
                faults="ECC, remapped rows, NVLink",
                warning=f"held back: {', '.join(held)}" if held else "",
            )
        )
    return rows


def busy_share(before: Counts | None, after: Counts | None) -> Number:
    if not before or not after:
        return "unknown: /proc/stat is not understood"
    total = sum(after.values()) - sum(before.values())
    idle = sum(after[key] - before[key] for key in ("idle", "iowait"))
    return (total - idle) / total if total > 0 else "unknown: no time passed between the readings"


def _delta(before: Counts, after: Counts, *keys: str) -> int | str:
    if any(key not in after for key in keys):
        return f"unknown: {', '.join(keys)} cannot be read"
    return sum(after[key] - before.get(key, 0) for key in keys)


def _moved(before: int | None, after: int | None) -> int | str:
    return "unknown: the control group does not count it" if before is None or after is None else after - before


def _said(count: int | None) -> str:
    return "unknown" if count is None else str(count)


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.0f} %"
