"""Google Benchmark: `--benchmark_out=FILE --benchmark_out_format=json`. With repetitions its own median is taken."""

from statistics import median
from typing import Any

from perfproof.history.foreign import Foreign, Measured, moment, positive

NAME = "google-benchmark"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def recognise(raw: dict[str, Any]) -> bool:
    context = raw.get("context")
    return isinstance(context, dict) and "num_cpus" in context and "benchmarks" in raw


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
    names = dict.fromkeys([*single, *medians])
    return Foreign(
        measured=[
            Measured(name, medians[name] if name in medians else median(single[name]), count=len(single.get(name, ())))
            for name in names
        ],
        started=moment(context["date"]) if context.get("date") else None,
        version=str(context.get("library_version", "unknown")),
        environment={
            "cpu.count": context.get("num_cpus"),
            "cpu.mhz": context.get("mhz_per_cpu"),
            "cpu.scaling": context.get("cpu_scaling_enabled"),
            "software.build": context.get("library_build_type"),
        },
        left_out=left_out,
    )


def _seconds(one: dict[str, Any]) -> float:
    return positive(one["real_time"]) * UNITS[one["time_unit"]]
