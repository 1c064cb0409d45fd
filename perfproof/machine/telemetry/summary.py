"""A stretch of telemetry in a few numbers: the middle and the ends of every reading, energy, throttling."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import fsum
from statistics import median
from typing import Any

from perfproof.core.telemetry import Energy, Spread, TelemetrySummary, Throttling
from perfproof.machine.telemetry.recording import Series, Telemetry
from perfproof.machine.telemetry.throttling import mark, power_limited, throttled

TARGET_READINGS = ("sm_mhz", "memory_mhz", "power_watts", "temperature_celsius", "cpus_in_use")
TARGET_MEANS = ("busy_ratio", "sm_active_ratio", "tensor_active_ratio", "dram_active_ratio")  # a median hides pauses
TICKS_A_SAMPLE = 2  # a side's own readings need samples at least this long; power and clocks follow with a delay


def summary(telemetry: Telemetry, start_ns: int | None = None, end_ns: int | None = None) -> TelemetrySummary:
    """Everything between two times of time.perf_counter_ns; without them, all there is."""
    first, last = telemetry.span_ns
    start, end = first if start_ns is None else start_ns, last if end_ns is None else end_ns
    return TelemetrySummary(
        start_ns=start,
        end_ns=end,
        seconds=(end - start) * 1e-9,
        readings={name: spread(series) for name, series in telemetry.gauges(start, end).items()},
        energy=_energies(telemetry, start, end),
        throttled=[
            Throttling(source=source, start_ns=max(since, start), end_ns=min(until, end), reason=reason)
            for source in telemetry.sources
            for since, until, reason in throttled(telemetry, source)
            if since <= end and until >= start
        ],
        power_limited=_power_limited(telemetry, start, end),
        unknown=telemetry.header.unknown,
    )


def spread(series: Series) -> Spread:
    values = series.values
    unit = series.column.unit
    return Spread(
        median=median(values), low=min(values), high=max(values), unit=unit, readings=len(values), mean=mean(series)
    )


def mean(series: Series) -> float:
    """Over time: a reading stands for the time since the one before it, the first for as long as the second."""
    times = series.times_ns
    gaps = [later - earlier for earlier, later in pairwise(times)]
    weights = [gaps[0], *gaps] if gaps and sum(gaps) > 0 else [1] * len(times)
    return fsum(value * weight for value, weight in zip(series.values, weights, strict=True)) / sum(weights)


def target_summary(telemetry: Telemetry, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What a target's result keeps: medians while its samples ran; by side where samples last long enough for it.

    None where no sample carries its times.
    """
    timed = [row for row in rows if row.get("start_ns") is not None and row.get("end_ns") is not None]
    if not timed:
        return None
    found = summary(telemetry, min(row["start_ns"] for row in timed), max(row["end_ns"] for row in timed))
    intervals = [(one.start_ns, one.end_ns, one.reason) for one in found.throttled]
    return {
        "seconds": found.seconds,
        "median": _medians(found.readings),
        "mean": {name: one.mean for name, one in found.readings.items() if name.partition(".")[2] in TARGET_MEANS},
        "energy_joules": {source: energy.joules for source, energy in found.energy.items()},
        "power_limited": found.power_limited,
        "throttled": [one.model_dump() for one in found.throttled],
        "throttled_samples": sum("throttled" in row for row in mark(timed, intervals)),
        "sides": _sides(telemetry, timed),
    }


def _sides(telemetry: Telemetry, rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Medians of the readings that were taken while this side ran."""
    shortest_ns = TICKS_A_SAMPLE * 1e9 / telemetry.header.hz
    sides = {}
    for side in dict.fromkeys(row.get("side") for row in rows):
        own = [row for row in rows if row.get("side") == side]
        if side is not None and median(row["end_ns"] - row["start_ns"] for row in own) >= shortest_ns:
            sides[str(side)] = _medians_within(telemetry, own)
    return sides


def _medians_within(telemetry: Telemetry, rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, series in telemetry.gauges(row["start_ns"], row["end_ns"]).items():
            if name.partition(".")[2] in TARGET_READINGS:
                values.setdefault(name, []).extend(series.values)
    return {name: median(one) for name, one in values.items()}


def _medians(readings: dict[str, Spread]) -> dict[str, float]:
    return {name: one.median for name, one in readings.items() if name.partition(".")[2] in TARGET_READINGS}


def _energies(telemetry: Telemetry, start: int, end: int) -> dict[str, Energy]:
    found = {}
    for source in telemetry.sources:
        series = telemetry.series.get(f"{source}.energy_joules")
        part = series.between(start, end) if series else None
        if part is None or len(part.values) < 2 or part.values[-1] < part.values[0]:
            continue
        joules, seconds = part.values[-1] - part.values[0], (part.times_ns[-1] - part.times_ns[0]) * 1e-9
        found[source] = Energy(joules=joules, watts=joules / seconds, seconds=seconds)
    return found


def _power_limited(telemetry: Telemetry, start: int, end: int) -> dict[str, float]:
    shares = {
        name.partition(".")[0]: power_limited(series.between(start, end))
        for name, series in telemetry.series.items()
        if name.endswith(".event_reasons")
    }
    return {source: share for source, share in shares.items() if share is not None}
