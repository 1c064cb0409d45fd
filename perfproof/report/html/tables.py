"""The tables of one target: every number that the document holds, with its unit, the sides beside each other.

What was judged has a row per variant, with the two figures of its ratio: each variant has its own baseline figure.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from perfproof.core import units
from perfproof.core.documents import RatioResult, TargetResult, VariantResult
from perfproof.core.ratio_figures import has_figures, ratio_figures
from perfproof.report import kernel_lines
from perfproof.report.figures.bars import cell_bar
from perfproof.report.html.words import right_aligned
from perfproof.report.labels import label_of, style_of

CLOCKS = {
    "call": "call: back to back, what a program pays",
    "kernel": "kernel: the device is busy",
    "latency": "latency: one call alone, waited for",
    "wall": "wall time of the program",
    "cpu": "CPU time of the program",
}
PEAK, ENERGY = "peak memory", "energy per call, idle power included"
MOST_KERNELS = 12
MOST_RANKS = 64


@dataclass(frozen=True)
class Cell:
    text: str
    bar: str = ""  # SVG


@dataclass(frozen=True)
class Table:
    caption: str
    head: list[str]
    rows: list[list[Cell]] = field(default_factory=list)  # the first cell heads its row
    note: str = ""

    @property
    def words_in(self) -> set[int]:
        """Columns beside the first that hold words, and are not aligned as numbers are."""
        right = right_aligned([[cell.text for cell in row] for row in self.rows])
        return {at for at, is_right in enumerate(right) if at and not is_right}


Of = Callable[[VariantResult], float | None]
Shown = Callable[[float | None], str]


@dataclass(frozen=True)
class Quantity:
    """One row of a table."""

    label: str
    of: Of  # a side
    shown: Shown
    claim: str = ""  # of the ratios that judge it
    clock: str = ""  # and their clock, or the metric's name; empty: any
    divided: bool = True  # has it a ratio?
    bar: bool = False


def times_table(target: TargetResult) -> Table | None:
    """Every clock of every side."""
    clocks = list(dict.fromkeys(clock for side in target.variants.values() for clock in side.times))
    quantities = [_clock(clock) for clock in clocks]
    quantities += [
        _seconds("hot: one set of arguments, cached", lambda side: side.hot_seconds),
        _seconds("host: queueing a call", lambda side: side.enqueue_seconds),
        _seconds("set-up before the calls, not in the times", lambda side: side.setup_seconds),
        _seconds("set-up in the first call, not in the times", lambda side: side.first_call_seconds),
        _seconds("start: load, prepare, first call", lambda side: side.startup_seconds, claim="startup"),
    ]
    rows = [row for quantity in quantities for row in _rows(target, quantity)]
    note = "What was judged has the verdict's figures and ratio. The rest are medians, and their ratio is not judged."
    if target.floor_seconds is not None:
        note += f" An empty body takes {units.seconds(target.floor_seconds)}."
    if target.kernel_clock:
        note += f" Kernel clock: {target.kernel_clock}."
    return _table("Clocks side by side", target, rows, note)


def resources_table(target: TargetResult) -> Table | None:
    """What a call needs beside time, how fast it moves data, and how exact its answer is."""
    quantities = [
        Quantity(PEAK, lambda side: side.memory.peak_bytes if side.memory else None, units.binary_bytes, "memory"),
        Quantity(ENERGY, lambda side: side.energy_joules, joules, "energy"),
        *(
            Quantity(label, of, shown, divided=False)
            for label, of, shown in (
                ("CPU time over wall time", lambda side: side.cpu_share, _share),
                ("device clock", lambda side: side.clock_hz, lambda value: units.amount(value, "Hz")),
                ("bytes per second", lambda side: side.light.bytes_per_second if side.light else None, _byte_rate),
                ("operations per second", lambda side: side.light.flops_per_second if side.light else None, _flops),
                ("fastest possible here", lambda side: side.light and side.light.fastest_seconds, units.seconds),
                ("error: norm over reference", lambda side: side.error and side.error.rms_relative, _short),
                ("error: share of the tolerance", lambda side: side.error and side.error.of_tolerance, units.percent),
                ("calls checked", lambda side: side.error and side.error.calls_checked, _whole),
            )
        ),
    ]
    metrics = dict.fromkeys(name for side in target.variants.values() for name in side.metrics)
    quantities += [_metric(name) for name in metrics]
    rows = [row for quantity in quantities for row in _rows(target, quantity)]
    counters = dict.fromkeys(side.memory.counter for side in target.variants.values() if side.memory)
    note = f"Memory is the peak above what the process held before, by {', '.join(counters)}." if counters else ""
    return _table("Memory, energy, rates, error", target, rows, note)


def kernels_table(target: TargetResult) -> Table | None:
    """What ran on the device; a bar is a kernel's share of its side's longest."""
    rows = []
    for side, result in target.variants.items():
        longest = max((kernel.seconds for kernel in result.kernels), default=0.0)
        for kernel in result.kernels[:MOST_KERNELS]:
            bar = cell_bar(kernel.seconds / longest if longest else 0.0, style_of(side))
            cells = [
                Cell(kernel.name),
                Cell(side),
                Cell(f"{kernel.count:.3g}"),
                Cell(units.seconds(kernel.seconds), bar),
            ]
            rows.append(cells)
        if len(result.kernels) > MOST_KERNELS:
            rest = result.kernels[MOST_KERNELS:]
            total = units.seconds(sum(kernel.seconds for kernel in rest))
            rows.append([Cell(f"{len(rest)} more"), Cell(side), Cell("–"), Cell(total)])
    head = ["kernel, copy or fill", "side", "launches a call", "time a call"]
    return Table("What ran on the device", head, rows) if rows else None


def kernel_resources_table(target: TargetResult) -> Table | None:
    """What the pair's own kernels take of a multiprocessor."""
    rows = [
        [
            Cell(one.kernel),
            Cell(one.side or "–"),
            Cell(one.architecture),
            Cell(str(one.registers)),
            Cell(kernel_lines.shared_words(one)),
            Cell(kernel_lines.spill_words(one)),
            Cell(kernel_lines.occupancy_words(one)),
        ]
        for one in target.kernel_resources
    ]
    head = ["kernel", "side", "compiled for", "registers a thread", "shared memory a block", "spills", "occupancy"]
    launched = any(one.occupancy is not None for one in target.kernel_resources)
    note = "" if launched else "Compiled, not launched here: blocks and occupancy are unknown."
    return Table("What its kernels take of a multiprocessor", head, rows, note) if rows else None


def sanitizers_table(target: TargetResult) -> Table | None:
    rows = []
    for one in target.sanitizers:
        found = "; ".join(one.reports) or one.summary or one.detail
        rows.append(
            [Cell(one.tool), Cell(one.result), Cell("–" if one.errors is None else str(one.errors)), Cell(found)]
        )
    note = "Every side was called once at smoke sizes, each tensor in an allocation of its own."
    return Table("compute-sanitizer", ["tool", "result", "errors", "what it said"], rows, note) if rows else None


def ranks_table(target: TargetResult) -> Table | None:
    if target.ranks is None:
        return None
    ranks = target.ranks
    rows = [
        [
            Cell(name),
            Cell(units.percent(side.ranks.spread)),
            Cell(str(side.ranks.straggler)),
            Cell(_share(side.ranks.straggler_share)),
        ]
        for name, side in target.variants.items()
        if side.ranks
    ]
    skew = f"; they start {units.seconds(ranks.skew_seconds)} apart" if ranks.skew_seconds is not None else ""
    cpus = "; ".join(f"rank {at}: {_brief(cpus)}" for at, cpus in enumerate(ranks.cpus[:MOST_RANKS]))
    how = f"{ranks.count} ranks, {ranks.backend}, by {ranks.started_by}, {units.count(ranks.threads, 'thread')} each"
    note = f"{how}{skew}. CPUs: {cpus}."
    return Table("Ranks: the slowest is the time", ["side", "spread", "straggler", "slowest in"], rows, note)


def telemetry_table(target: TargetResult) -> Table | None:
    """Clocks, power and temperature while the samples ran, and by side where they could be told apart."""
    found = target.telemetry
    if not found:
        return None
    sides = mapping(found.get("sides"))
    medians = {"all samples": mapping(found.get("median"))}
    medians |= {label_of(target, name): mapping(of) for name, of in sides.items()}
    names = dict.fromkeys(name for readings in medians.values() for name in readings)
    rows = [[Cell(name), *(Cell(_short(of.get(name))) for of in medians.values())] for name in names]
    for label, key, shown in (
        ("energy", "energy_joules", joules),
        ("share at the power limit", "power_limited", _share),
    ):
        for source, value in mapping(found.get(key)).items():
            rows.append([Cell(f"{source}: {label}"), Cell(shown(value)), *(Cell("–") for _ in sides)])
    throttled = len(found.get("throttled") or [])
    note = f"Over {units.seconds(found.get('seconds'))}. Slowed by heat or by the hardware: "
    note += (
        f"{units.count(throttled, 'time')}, {units.count(found.get('throttled_samples', 0), 'sample')}."
        if throttled
        else "never seen."
    )
    return Table("Telemetry: medians while its samples ran", ["reading", *medians], rows, note)


def _table(caption: str, target: TargetResult, rows: list[list[Cell]], note: str = "") -> Table | None:
    ratio = ["ratio"] if rows and len(rows[0]) > len(target.variants) + 1 else []
    sides = [label_of(target, side) for side in target.variants]
    return Table(caption, ["", *sides, *ratio], rows, note) if rows else None


def _clock(clock: str) -> Quantity:
    label = CLOCKS.get(clock, clock)
    return Quantity(label, lambda side: side.times.get(clock), units.seconds, "time", clock, bar=True)


def _seconds(label: str, of: Of, claim: str = "") -> Quantity:
    return Quantity(label, of, units.seconds, claim)


def _metric(name: str) -> Quantity:
    return Quantity(f"metric {name}", lambda side: side.metrics.get(name), _short, "metric", name, divided=False)


def _rows(target: TargetResult, quantity: Quantity) -> list[list[Cell]]:
    """A row per judged variant for what was judged, one row for anything else, none if no side has it."""
    judged = _judging(target, quantity)
    if not judged:
        values = {side: quantity.of(result) for side, result in target.variants.items()}
        if all(value is None for value in values.values()):
            return []
        return [_row(target, quantity.label, quantity, values, _divided(quantity, values))]
    rows = []
    for variant, one in judged.items():
        label = f"{quantity.label} ({variant} and its baseline)" if len(judged) > 1 else quantity.label
        figures = dict(zip(("baseline", variant), ratio_figures(target, variant, one), strict=True))
        rows.append(_row(target, label, quantity, figures, units.ratio(one.ratio) if one.ratio else ""))
    return rows


def _judging(target: TargetResult, quantity: Quantity) -> dict[str, RatioResult]:
    """The ratios that judge this quantity and have figures, by variant."""
    ratios = [*target.ratios.items(), *((variant, one) for variant in target.ratios for one in target.also.values())]
    return {
        variant: one
        for variant, one in ratios
        if one.claim == quantity.claim and (not quantity.clock or one.clock == quantity.clock) and has_figures(one)
    }


def _row(
    target: TargetResult, label: str, quantity: Quantity, values: Mapping[str, float | None], ratio: str
) -> list[Cell]:
    most = max((value for value in values.values() if value is not None), default=0.0)
    cells = []
    for side in target.variants:
        value = values.get(side)
        bar = cell_bar(value / most, style_of(side)) if quantity.bar and value is not None and most else ""
        cells.append(Cell(quantity.shown(value), bar))
    return [Cell(label), *cells, *([Cell(ratio)] if _has_ratios(target) else [])]


def _has_ratios(target: TargetResult) -> bool:
    """Two sides have one ratio; with more of them a row per variant has its own.

    Where the run gives no ratio, quotients of set-up or latency beside it would be read as one.
    """
    if target.ratios and not any(one.ratio for one in target.ratios.values()):
        return False
    return len(target.variants) == 2 or any(has_figures(one) for one in target.ratios.values())


def _divided(quantity: Quantity, values: Mapping[str, float | None]) -> str:
    """The quotient of two sides: of what is needed less, it says what it says of times."""
    if len(values) != 2 or not quantity.divided:
        return ""
    first, second = values.values()
    return units.ratio(first / second) if first and second and first / second > 0 else ""


def joules(value: float | None) -> str:
    return units.amount(value, "J")


def _byte_rate(value: float | None) -> str:
    return units.amount(value, "B/s")


def _flops(value: float | None) -> str:
    return units.amount(value, "FLOP/s")


def _short(value: Any) -> str:
    return "–" if value is None else f"{value:.4g}" if isinstance(value, int | float) else str(value)


def _whole(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _share(value: Any) -> str:
    return units.percent(value, 0) if isinstance(value, int | float) else "–"


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _brief(numbers: list[int]) -> str:
    return ",".join(map(str, numbers[:8])) + ("…" if len(numbers) > 8 else "")
