"""Google Benchmark: `--benchmark_out=FILE --benchmark_out_format=json` (or csv). Of repetitions its median is taken."""

import csv
import math
from statistics import median
from typing import Any

from perfproof.history.foreign import Foreign, Measured, has_zone, moment, reading, times_only

NAME = "google-benchmark"
HEADING = "name,iterations,real_time,cpu_time,time_unit"
AGGREGATES = ("mean", "median", "stddev", "cv")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def recognise(raw: dict[str, Any]) -> bool:
    context = raw.get("context")
    return isinstance(context, dict) and "num_cpus" in context and "benchmarks" in raw


def from_csv(text: str) -> dict[str, Any] | None:
    """The CSV form, which has no context, in the form of the JSON; None if there is no such table."""
    lines = text.splitlines()
    start = next((place for place, line in enumerate(lines) if line.startswith(HEADING)), None)
    if start is None:
        return None
    rows = [row for row in csv.DictReader(lines[start:]) if row["name"] and row["name"] != "name"]
    names = {row["name"] for row in rows}
    return {"context": {"num_cpus": None}, "benchmarks": [_row(row, names) for row in rows]}


def _row(row: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """An aggregate is told by the end of its name and by its fellows: CSV has no column for it."""
    name, word = row["name"], row["name"].rpartition("_")[2]
    failed = str(row.get("error_occurred") or "").lower() == "true"
    fellows = {f"{name.removesuffix(word)}{other}" for other in AGGREGATES if other != word}
    aggregate = word in AGGREGATES and bool(fellows & names)
    return {
        "name": name,
        "run_name": name.removesuffix(f"_{word}") if aggregate else name,
        "run_type": "aggregate" if aggregate else "iteration",
        "aggregate_name": word if aggregate else "",
        "real_time": row["real_time"],
        "time_unit": row["time_unit"],
        "error_occurred": failed,
        "error_message": row.get("error_message") or "",
    }


def read(raw: dict[str, Any]) -> Foreign:
    context = raw["context"]
    single: dict[str, list[float]] = {}
    medians: dict[str, float] = {}
    left_out = []
    for one in raw["benchmarks"]:
        name = one.get("run_name", one["name"])
        if one.get("error_occurred") or one.get("skipped"):
            left_out.append(f"{name}: {one.get('error_message') or one.get('skip_message') or 'failed'}")
        elif one.get("run_type", "iteration") == "iteration":
            single.setdefault(name, []).append(_seconds(one))
        elif one.get("aggregate_name") == "median":
            medians[name] = _seconds(one)
    measured, no_times = times_only(
        Measured(name, medians[name] if name in medians else _median(single[name]), count=len(single.get(name, ())))
        for name in dict.fromkeys([*single, *medians])
    )
    return Foreign(
        measured=measured,
        started=moment(context["date"]) if context.get("date") else None,
        zone_known=not context.get("date") or has_zone(context["date"]),  # old versions write the local time alone
        version=str(context.get("library_version", "unknown")),
        environment={
            "cpu.count": context.get("num_cpus"),
            "cpu.mhz": context.get("mhz_per_cpu"),
            "cpu.scaling": context.get("cpu_scaling_enabled"),
            "software.build": context.get("library_build_type"),
        },
        left_out=left_out + no_times,
    )


def _seconds(one: dict[str, Any]) -> float:
    return reading(one["real_time"]) * UNITS[one["time_unit"]]


def _median(times: list[float]) -> float:
    """Of all repetitions, those that read 0 too; a NaN among them has no place in an order."""
    return math.nan if any(map(math.isnan, times)) else median(times)
