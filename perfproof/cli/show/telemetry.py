"""Telemetry for people: readings with their units, the line and the table of a moment, the summary of it all."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import fmean, median
from typing import Any

from perfproof.core import units
from perfproof.core.telemetry import TelemetrySummary
from perfproof.machine.telemetry.recording import Telemetry

# The readings that are shown, in this order; single cores are in the file and in --json only.
LABELS = {
    "sm_mhz": "SM clock",
    "memory_mhz": "memory clock",
    "power_watts": "power",
    "temperature_celsius": "temperature",
    "busy_ratio": "time with any kernel",
    "sm_active_ratio": "SMs active",
    "tensor_active_ratio": "tensor cores active",
    "dram_active_ratio": "memory bandwidth used",
    "cpus_in_use": "CPUs in use",
    "load_1m": "load average",
    "memory_used_bytes": "memory used",
    "swap_used_bytes": "swap used",
    "context_switches_per_s": "context switches",
    "pcie_sent_bytes_per_s": "PCIe sent",
    "pcie_received_bytes_per_s": "PCIe received",
    "nvlink_sent_bytes_per_s": "NVLink sent",
    "nvlink_received_bytes_per_s": "NVLink received",
    "disk_read_bytes_per_s": "disk read",
    "disk_written_bytes_per_s": "disk written",
    "net_received_bytes_per_s": "network received",
    "net_sent_bytes_per_s": "network sent",
}
ON_A_LINE = (
    "sm_mhz", "power_watts", "temperature_celsius", "busy_ratio", "sm_active_ratio", "tensor_active_ratio",
    "dram_active_ratio", "cpus_in_use", "memory_used_bytes",
)  # fmt: skip
BARS = "▁▂▃▄▅▆▇█"
HISTORY = 40

Moment = dict[str, float]  # "gpu0.power_watts" -> the middle of its last readings


def moment(telemetry: Telemetry, seconds: float) -> Moment:
    """The last `seconds` as one value a reading."""
    end = telemetry.span_ns[1]
    found = telemetry.gauges(end - int(max(seconds, 0.5) * 1e9), end)
    shown = {name: series for name, series in found.items() if name.partition(".")[2] in LABELS}
    return {name: fmean(one.values) if name.endswith("_ratio") else median(one.values) for name, one in shown.items()}


def reading(name: str, value: float) -> str:
    """A value with its unit, by the ending of its name."""
    kind = name.partition(".")[2]
    if kind.endswith("_bytes_per_s"):
        return f"{value / 1e9:.2f} GB/s" if value >= 1e8 else f"{value / 1e6:.2f} MB/s"
    if kind.endswith("_bytes"):
        return units.binary_bytes(value)
    if kind.endswith("_ratio"):
        return units.percent(value, 0)
    endings = {"_mhz": (0, " MHz"), "_watts": (1, " W"), "_celsius": (0, " °C"), "_per_s": (0, " /s")}
    digits, unit = next((one for ending, one in endings.items() if kind.endswith(ending)), (2, ""))
    return f"{value:.{digits}f}{unit}"


def line(seconds: float, now: Moment) -> str:
    """One moment: `12.0 s  gpu0: SM clock 1980 MHz, power 512.0 W; host: CPUs in use 1.30`."""
    parts = []
    for source in dict.fromkeys(name.partition(".")[0] for name in now):
        kinds = [kind for kind in ON_A_LINE if f"{source}.{kind}" in now]
        shown = (f"{LABELS[kind]} {reading(f'{source}.{kind}', now[f'{source}.{kind}'])}" for kind in kinds)
        parts.append(f"{source}: {', '.join(shown)}")
    return f"{seconds:.1f} s  {'; '.join(parts)}"


class LiveTable:
    """Readings of now beside sparklines of the last moments, redrawn on a terminal."""

    def __init__(self) -> None:
        self.history: dict[str, list[float]] = {}

    def drawn(self, seconds: float, now: Moment) -> Any:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, title=f"{seconds:.0f} s, Ctrl-C ends", title_justify="left")
        table.add_column("source")
        table.add_column("reading")
        table.add_column("now", justify="right", min_width=12)
        table.add_column(f"last {HISTORY} moments", no_wrap=True)
        for name in _in_order(now):
            past = self.history.setdefault(name, [])
            past.append(now[name])
            del past[:-HISTORY]
            source, _, kind = name.partition(".")
            table.add_row(source, LABELS[kind], reading(name, now[name]), sparkline(past))
        return table


def sparkline(values: list[float]) -> str:
    """Bars between the lowest and the highest value; a flat line where they are the same."""
    low, high = min(values), max(values)
    if high <= low:
        return BARS[0] * len(values)
    return "".join(BARS[int((value - low) / (high - low) * (len(BARS) - 1))] for value in values)


@contextmanager
def view(
    beside_command: bool, asked_for: bool, interval: float, quiet: bool
) -> Iterator[Callable[[float, Telemetry], None]]:
    """A table on a terminal, lines elsewhere. Beside a command, whose output a table would tear, lines if asked for.
    Quiet: nothing but the summary goes to standard output."""
    stream = sys.stderr if quiet or beside_command else sys.stdout
    if (beside_command and not asked_for) or (quiet and not stream.isatty()):
        yield lambda seconds, now: None
    elif beside_command or not stream.isatty():
        yield lambda seconds, now: print(line(seconds, moment(now, interval)), file=stream, flush=True)
    else:
        from rich.console import Console
        from rich.live import Live

        table = LiveTable()
        with Live(console=Console(file=stream), auto_refresh=False, transient=True) as screen:
            yield lambda seconds, now: screen.update(table.drawn(seconds, moment(now, interval)), refresh=True)


def summary_lines(found: TelemetrySummary) -> Iterator[str]:
    """The end of `monitor`: a table of readings, then energy, limits and what could not be read."""
    yield f"{found.seconds:.1f} s of telemetry"
    names = list(_in_order(found.readings))
    if names:
        yield f"{'':6} {'':22} {'low':>13} {'median':>13} {'mean':>13} {'high':>13}"
    for name in names:
        source, _, kind = name.partition(".")
        one = found.readings[name]
        low, middle, high = (reading(name, value) for value in (one.low, one.median, one.high))
        mean = "–" if one.mean is None else reading(name, one.mean)
        yield f"{source:6} {LABELS[kind]:22} {low:>13} {middle:>13} {mean:>13} {high:>13}"
    for source, energy in found.energy.items():
        used = f"{energy.joules:,.1f} J in {energy.seconds:.1f} s, {energy.watts:.1f} W on average"
        yield f"{source:6} {'energy':22} {used}"
    for source, share in found.power_limited.items():
        if share:
            yield f"{source:6} {'power-limited':22} in {units.percent(share, 0)} of readings"
    for stretch in found.throttled:
        since, until = ((time_ns - found.start_ns) * 1e-9 for time_ns in (stretch.start_ns, stretch.end_ns))
        yield f"{stretch.source:6} {'throttled':22} from {since:.2f} s to {until:.2f} s: {stretch.reason}"
    for name, why in found.unknown.items():
        yield f"unknown: {name}: {why}"


def _in_order(names: dict[str, Any]) -> Iterator[str]:
    for source in dict.fromkeys(name.partition(".")[0] for name in names):
        yield from (f"{source}.{kind}" for kind in LABELS if f"{source}.{kind}" in names)
