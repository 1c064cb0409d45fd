"""asv: a result file, `results/MACHINE/COMMIT-ENVIRONMENT.json`. Times only: asv's other kinds have no unit in it."""

from datetime import UTC, datetime
from itertools import product
from typing import Any

from perfproof.history.foreign import Foreign, Measured, reading, times_only

NAME = "asv"
TIME = ("time_", "timeraw_")


def recognise(raw: dict[str, Any]) -> bool:
    return "result_columns" in raw and "commit_hash" in raw and "env_name" in raw


def read(raw: dict[str, Any]) -> Foreign:
    columns = raw["result_columns"]
    read, left_out, starts = [], [], []
    for name, values in raw["results"].items():
        row = dict(zip(columns, values, strict=False))
        if not name.rpartition(".")[2].startswith(TIME) or row.get("result") is None:
            left_out.append(f"{name}: {_why(name)}")
            continue
        starts.append(row.get("started_at") or raw["date"])
        places = list(product(*row.get("params") or ()))
        for parameters, value in zip(places, row["result"], strict=True):
            if value is None:  # a combination that was skipped is NaN
                left_out.append(f"{_name(name, parameters)}: failed")
                continue
            read.append(Measured(_name(name, parameters), reading(value)))
    measured, no_times = times_only(read)
    facts = raw.get("params", {})
    return Foreign(
        measured=measured,
        started=_moment(min(starts, default=raw["date"])),
        commit=raw["commit_hash"],
        version=str(raw.get("version", "unknown")),
        processor=str(facts.get("cpu") or ""),
        environment={
            "cpu.model": facts.get("cpu"),
            "kernel": facts.get("os"),
            "software.python": raw.get("python"),
            **{f"software.{name}": version for name, version in (raw.get("requirements") or {}).items()},
        },
        left_out=left_out + no_times,
    )


def _why(name: str) -> str:
    """A track_ benchmark has a unit of its own, which stands in asv's benchmarks.json and not in the result."""
    own = name.rpartition(".")[2]
    return "a number of its own unit, no time" if own.startswith("track_") else "no time"


def _name(name: str, parameters: tuple[str, ...]) -> str:
    return f"{name}({', '.join(parameters)})" if parameters else name


def _moment(milliseconds: float) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"
