"""hyperfine: `--export-json FILE`. It holds neither a date nor a machine."""

from typing import Any

from perfproof.history.foreign import Foreign, Measured, reading, times_only

NAME = "hyperfine"


def recognise(raw: dict[str, Any]) -> bool:
    results = raw.get("results")
    return isinstance(results, list) and bool(results) and all("command" in one and "times" in one for one in results)


def read(raw: dict[str, Any]) -> Foreign:
    measured, no_times = times_only(
        Measured(_name(one), reading(one["median"]), count=len(one["times"])) for one in raw["results"]
    )
    return Foreign(measured, left_out=no_times)


def _name(one: dict[str, Any]) -> str:
    """The command; with the parameters of a scan, unless they stand in it already."""
    parameters = one.get("parameters") or {}
    extra = [f"{name}={value}" for name, value in parameters.items() if str(value) not in one["command"]]
    return " ".join([one["command"], *extra])
