"""The A/B table to return: throughput, latency, use, traffic, goodput, cost, power and accuracy of two bundles.

Two bundles were not measured in turn: between them lie minutes or machines. The interval is Welch's, on the logarithm
of the ratio, over runs; it needs five runs a side, and knows nothing of a drift between the two sides. `perfproof ab`
measures in pairs, and a table made from its results carries its intervals. What nobody measured is "not measured".
"""

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from perfproof.core.documents import RatioResult, Run, VariantResult
from perfproof.core.errors import DocumentError
from perfproof.core.ratio_figures import has_figures, side_figure
from perfproof.core.triage import TriageRun, TriageTiming
from perfproof.stats.student import two_sided
from perfproof.stats.units import LEAST_UNITS, LEVEL
from perfproof.triage.opening import Bundle

NOT_MEASURED = "not measured"
NAMES = {  # a row of the table -> the names under which a command may report it
    "throughput": ("throughput", "tps", "tokens_per_s", "tokens_per_second", "samples_per_s", "requests_per_s", "qps"),
    "latency p50": ("p50", "latency_p50", "p50_ms", "latency_p50_ms", "ttft_p50", "median_latency"),
    "latency p99": ("p99", "latency_p99", "p99_ms", "latency_p99_ms", "ttft_p99"),
    "goodput": ("goodput",),
    "accuracy": ("accuracy", "acc", "score", "eval_accuracy"),
}
Read = Callable[[TriageRun], float | None]


@dataclass(frozen=True)
class Row:
    what: str
    a: float | None = None
    b: float | None = None
    unit: str = ""
    ratio: float | None = None  # b over a
    low: float | None = None
    high: float | None = None
    note: str = ""


def from_bundles(a: Bundle, b: Bundle, prices: tuple[float, float] | None = None) -> list[Row]:
    first, second = _timing(a), _timing(b)
    sides = (_good_runs(first), _good_runs(second))
    names = sorted({name for runs in sides for run in runs for name in run.metrics})
    rows = [
        _row("wall time", sides, lambda run: run.seconds, "s"),
        _row("CPU time", sides, lambda r: r.cpu_seconds, "s"),
    ]
    rows.append(_row("peak memory", sides, lambda run: run.peak_bytes, "B"))
    for what, known in NAMES.items():
        name = next((one for one in names if one.lower() in known), None)
        rows.append(_metric(what, name, sides, first, second))
    known_names = {name for known in NAMES.values() for name in known}
    rows += [_metric(name, name, sides, first, second) for name in names if name.lower() not in known_names]
    rows += [
        _activity("SM %", sides, "sm_active_ratio"),
        _activity("tensor core %", sides, "tensor_active_ratio"),
        _activity("memory bandwidth %", sides, "dram_active_ratio"),
        _row("time with any kernel", sides, lambda run: _gpus(run, "busy_ratio", mean=True), "share"),
        _row("network", sides, _network, "B/s"),
        _row("power", sides, _watts, "W"),
        _row("energy a run", sides, lambda run: sum(run.energy_joules.values()) if run.energy_joules else None, "J"),
        _energy_a_unit(sides, names),
        _dollars(sides, names, prices),
    ]
    return rows


def commands_differ(a: Bundle, b: Bundle) -> str:
    """Empty if both bundles ran the same command; otherwise a line that says so."""
    first, second = a.manifest.command, b.manifest.command
    if first == second:
        return ""
    return f"the two commands differ: a ran `{shlex.join(first)}`, b ran `{shlex.join(second)}`"


def from_run(run: Run, prices: tuple[float, float] | None = None) -> list[Row]:
    """The rows that `perfproof ab` measured, each with its paired interval; the rest is not measured."""
    target = next((one for one in run.targets if one.ratios), None)
    if target is None:
        raise DocumentError(f"run {run.run} holds no comparison; `perfproof ab` makes one")
    variant, judged = next(iter(target.ratios.items()))
    sides = (target.variants.get("baseline"), target.variants.get(variant))
    rows = [_judged(_title(judged), judged, sides)]
    rows += [_judged(name, one, sides) for name, one in target.also.items()]
    present = {row.what.lower() for row in rows}
    for what, known in NAMES.items():
        if not present & {what, *known}:
            rows.append(Row(what, note=NOT_MEASURED))
    if prices is not None and rows[0].unit == "s" and rows[0].a is not None and rows[0].b is not None:
        a, b = prices[0] * rows[0].a / 3600, prices[1] * rows[0].b / 3600
        ratio, low, high = (end and end * prices[0] / prices[1] for end in (rows[0].ratio, rows[0].low, rows[0].high))
        note = "as the time" if prices[0] == prices[1] else "the time's ratio times that of the prices"
        rows.append(Row("dollars a run", a, b, "$", ratio, low, high, note))
    missing = ["SM %", "network", "power", "energy a unit"]
    missing += [] if rows[-1].what == "dollars a run" else ["dollars a run"]
    return [*rows, *(Row(what, note=NOT_MEASURED) for what in missing)]


def _timing(bundle: Bundle) -> TriageTiming:
    document = bundle.document("timing")
    if not document:
        raise DocumentError(f"{bundle.manifest.name}: no command was run in it; `perfproof triage -- command` runs one")
    try:
        return TriageTiming.model_validate(document)
    except ValueError as error:
        raise DocumentError(f"{bundle.manifest.name}: timing.json: {' '.join(str(error).split())[:200]}") from None


def _good_runs(timing: TriageTiming) -> list[TriageRun]:
    """Runs that came to their end with 0: what a failed run took is no performance."""
    return [run for run in timing.runs if not run.late and run.exit_code == 0]


def _row(what: str, sides: Sequence[list[TriageRun]], read: Read, unit: str) -> Row:
    a, b = ([value for value in map(read, runs) if value is not None] for runs in sides)
    if not a or not b:
        failed = " and of ".join(name for name, runs in zip("ab", sides, strict=True) if not runs)
        note = f"no run of {failed} ended with 0" if failed else NOT_MEASURED
        return Row(what, _typical(a), _typical(b), unit, note=note)
    return compared(what, a, b, unit)


def _activity(what: str, sides: Sequence[list[TriageRun]], reading: str) -> Row:
    def read(run: TriageRun) -> float | None:
        share = _gpus(run, reading, mean=True)
        return None if share is None else 100 * share

    row = _row(what, sides, read, "%")
    if row.a is None and row.b is None:
        return Row(what, note=f"{NOT_MEASURED}: the driver counts it on Hopper and newer GPUs only (GPM)")
    return row


def compared(what: str, a: Sequence[float], b: Sequence[float], unit: str) -> Row:
    """Geometric means, their ratio, and Welch's interval where there are runs enough."""
    if not any(a) and not any(b):
        return Row(what, 0.0, 0.0, unit, note="0 on both sides")
    if min(*a, *b) <= 0:
        return Row(what, _typical(a), _typical(b), unit, note="a value that is not positive has no ratio")
    logs = [[math.log(value) for value in side] for side in (a, b)]
    means = [math.fsum(side) / len(side) for side in logs]
    ratio = math.exp(means[1] - means[0])
    first, second = _typical(a), _typical(b)
    if min(len(a), len(b)) < LEAST_UNITS:
        note = f"no interval: {len(a)} and {len(b)} runs, it takes {LEAST_UNITS} of each (--repeats {LEAST_UNITS})"
        return Row(what, first, second, unit, ratio, note=note)
    parts = [
        math.fsum((log - mean) ** 2 for log in side) / (len(side) - 1) / len(side)
        for side, mean in zip(logs, means, strict=True)
    ]
    error = math.sqrt(sum(parts))
    if error == 0:
        return Row(what, first, second, unit, ratio, ratio, ratio, "unpaired")
    freedom = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, logs, strict=True))
    reach = two_sided(LEVEL, freedom) * error
    return Row(what, first, second, unit, ratio, ratio * math.exp(-reach), ratio * math.exp(reach), "unpaired")


def _typical(side: Sequence[float]) -> float | None:
    """The geometric mean: the ratio of two of them is the one that stands beside them. The median if it has none."""
    if not side or min(side) <= 0 or min(side) == max(side):
        return median(side) if side else None
    return math.exp(math.fsum(map(math.log, side)) / len(side))


def _metric(
    what: str, name: str | None, sides: Sequence[list[TriageRun]], first: TriageTiming, second: TriageTiming
) -> Row:
    if name is None:
        spec = f"{NAMES[what][0]}:{'lower' if 'latency' in what else 'higher'}"
        return Row(what, note=f"{NOT_MEASURED}: --metric '{spec}=regex:…' reads what the command reports")
    row = _row(what, sides, lambda run: run.metrics.get(name), "")
    better = first.better.get(name) or second.better.get(name)
    if what == "accuracy" and row.a is not None and row.b is not None:
        return Row(what, row.a, row.b, "", row.ratio, row.low, row.high, f"b - a = {row.b - row.a:+.4g}; {row.note}")
    note = "; ".join(part for part in (f"{better} is better" if better else "", row.note) if part)
    return Row(what, row.a, row.b, row.unit, row.ratio, row.low, row.high, note)


def _gpus(run: TriageRun, reading: str, mean: bool = False) -> float | None:
    values = [value for name, value in run.readings.items() if name.startswith("gpu") and name.endswith(f".{reading}")]
    if not values:
        return None
    return math.fsum(values) / len(values) if mean else math.fsum(values)


def _network(run: TriageRun) -> float | None:
    both = [run.readings.get(f"host.net_{way}_bytes_per_s") for way in ("received", "sent")]
    found = [value for value in both if value is not None]
    return sum(found) if len(found) == 2 else None


def _watts(run: TriageRun) -> float | None:
    """The GPUs' own readings; without a GPU the energy counter of the processors over the run."""
    joules = sum(run.energy_joules.values())
    watts = _gpus(run, "power_watts")
    return watts if watts is not None else (joules / run.seconds if joules and run.seconds else None)


def _energy_a_unit(sides: Sequence[list[TriageRun]], names: Sequence[str]) -> Row:
    """Watts per unit a second are joules a unit; what a unit is, the command's throughput says."""
    what, name = "energy a unit", _throughput(names)
    if name is None:
        return Row(what, note=f"{NOT_MEASURED}: it takes a throughput; --metric 'throughput:higher=regex:…' reads it")

    def joules(run: TriageRun) -> float | None:
        watts, rate = _watts(run), run.metrics.get(name)
        return watts / rate if watts and rate else None

    return _row(what, sides, joules, "J")


def _throughput(names: Sequence[str]) -> str | None:
    return next((one for one in names if one.lower() in NAMES["throughput"]), None)


def _dollars(sides: Sequence[list[TriageRun]], names: Sequence[str], prices: tuple[float, float] | None) -> Row:
    name = _throughput(names)
    what = "dollars a million units" if name else "dollars a run"
    if prices is None:
        return Row(what, note=f"{NOT_MEASURED}: --dollars-per-hour says what the machine costs")

    price = {id(run): one for runs, one in zip(sides, prices, strict=True) for run in runs}

    def cost(run: TriageRun) -> float | None:
        if name is None:
            return price[id(run)] * run.seconds / 3600
        rate = run.metrics.get(name)
        return price[id(run)] / 3600 / rate * 1e6 if rate else None

    return _row(what, sides, cost, "$")


def _title(judged: RatioResult) -> str:
    return {"time": f"{judged.clock} time", "memory": "peak memory"}.get(judged.claim, judged.clock)


def _judged(what: str, judged: RatioResult, sides: tuple[VariantResult | None, VariantResult | None]) -> Row:
    """A ratio of `perfproof ab` is a over b, above 1 where b is better: kept as it is, and said so."""
    a, b = (judged.baseline, judged.variant) if has_figures(judged) else (_value(side, judged) for side in sides)
    note = "; ".join(part for part in (f"{judged.verdict}: paired, above 1 b is better", judged.note) if part)
    return Row(what, a, b, "s" if judged.claim == "time" else "", judged.ratio, judged.low, judged.high, note)


def _value(side: VariantResult | None, judged: RatioResult) -> Any:
    return side_figure(side, judged) if side else None
