"""pyperf: `-o FILE` of its benchmarks, or `pyperf timeit -o FILE`. Its dates are local times without a zone."""

from statistics import median
from typing import Any

from perfproof.history.foreign import Foreign, Measured, has_zone, moment, positive

NAME = "pyperf"
FIELDS = {
    "cpu.model": "cpu_model_name",
    "cpu.count": "cpu_count",
    "cpu.affinity": "cpu_affinity",
    "cpu.config": "cpu_config",
    "kernel": "platform",
    "software.python": "python_version",
    "software.compiler": "python_compiler",
}


def recognise(raw: dict[str, Any]) -> bool:
    return "perf_version" in raw.get("metadata", {}) and "benchmarks" in raw


def read(raw: dict[str, Any]) -> Foreign:
    shared = raw["metadata"]
    measured, left_out = [], []
    for one in raw["benchmarks"]:
        facts = shared | one.get("metadata", {})
        values = [value for run in one["runs"] for value in run.get("values", ())]  # warm-ups are kept apart
        if facts.get("unit", "second") != "second" or not values:
            left_out.append(f"{facts['name']}: {facts.get('unit', 'no values')}")
            continue
        measured.append(Measured(facts["name"], positive(median(values)), count=len(values)))
    dates = [run["metadata"]["date"] for one in raw["benchmarks"] for run in one["runs"] if run.get("metadata")]
    return Foreign(
        measured=measured,
        started=moment(min(dates)) if dates else None,
        zone_known=not dates or has_zone(min(dates)),
        version=str(shared["perf_version"]),
        processor=str(shared.get("cpu_model_name") or ""),
        environment={ours: shared.get(theirs) for ours, theirs in FIELDS.items()},
        left_out=left_out,
    )
