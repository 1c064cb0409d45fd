"""pytest-benchmark: `pytest --benchmark-json FILE`."""

from typing import Any

from perfproof.history.foreign import Foreign, Measured, moment, reading, times_only

NAME = "pytest-benchmark"
NO_COMMIT = ("unversioned", "unknown")


def recognise(raw: dict[str, Any]) -> bool:
    return "machine_info" in raw and "commit_info" in raw and "benchmarks" in raw


def read(raw: dict[str, Any]) -> Foreign:
    machine, commit = raw["machine_info"], raw["commit_info"]
    cpu = machine.get("cpu") or {}
    measured, no_times = times_only(
        Measured(one["fullname"], reading(one["stats"]["median"]), count=one["stats"].get("rounds"))
        for one in raw["benchmarks"]
    )
    return Foreign(
        measured=measured,
        started=moment(raw["datetime"]),  # in UTC, also by versions that write no zone
        commit=None if commit.get("id") in NO_COMMIT else commit.get("id"),
        dirty=commit.get("dirty"),
        version=str(raw.get("version", "unknown")),
        processor=str(cpu.get("brand_raw") or ""),
        environment={
            "cpu.model": cpu.get("brand_raw"),
            "cpu.count": cpu.get("count"),
            "kernel": f"{machine.get('system')} {machine.get('release')} {machine.get('machine')}",
            "software.python": machine.get("python_version"),
            "software.compiler": machine.get("python_compiler"),
        },
        left_out=no_times,
    )
