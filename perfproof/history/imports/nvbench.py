"""nvbench: `--json FILE`. The cold GPU time of every state; versions that write no median give their mean."""

from typing import Any

from perfproof.history.foreign import Foreign, Measured, positive

NAME = "nvbench"
TIMES = (("nv/cold/time/gpu/median", "median"), ("nv/cold/time/gpu/mean", "mean"))
SAMPLES = "nv/cold/sample_size"


def recognise(raw: dict[str, Any]) -> bool:
    versions = raw.get("meta", {}).get("version", {})
    return "nvbench" in versions and "benchmarks" in raw


def read(raw: dict[str, Any]) -> Foreign:
    devices = {one["id"]: one for one in raw.get("devices", ())}
    measured, left_out = [], []
    for benchmark in raw["benchmarks"]:
        for state in benchmark["states"]:
            name = f"{benchmark['name']} {state['name']}".strip()
            values = _values(state)
            tag, statistic = next(((tag, word) for tag, word in TIMES if tag in values), ("", ""))
            if state.get("is_skipped") or not tag:
                left_out.append(f"{name}: {state.get('skip_reason') or 'no cold GPU time'}")
                continue
            count = int(values[SAMPLES]) if SAMPLES in values else None
            measured.append(Measured(name, positive(values[tag]), statistic, "gpu", count))
    return Foreign(
        measured=measured,
        version=str(raw["meta"]["version"]["nvbench"].get("string", "unknown")),
        processor=str(next((one["name"] for one in devices.values() if one.get("name")), "")),
        environment={f"gpu{number}.name": one.get("name") for number, one in devices.items()},
        left_out=left_out,
    )


def _values(state: dict[str, Any]) -> dict[str, str]:
    """By tag. Numbers stand in the file as text."""
    found = {}
    for summary in state.get("summaries") or ():
        value = next((one["value"] for one in summary.get("data", ()) if one.get("name") == "value"), None)
        if value is not None:
            found[summary["tag"]] = value
    return found
