"""A run as CSV: one row for each variant, every number as it is stored."""

import csv
import io
from typing import Any

from perfproof.core.documents import RatioResult, Run, TargetResult, VariantResult

CLOCKS = ("call", "kernel", "latency", "wall", "cpu")
JUDGED = [name for name in RatioResult.model_fields if name not in ("modes", "units")]  # lists do not fit a cell
SIDE = (
    *(f"{clock}_seconds" for clock in CLOCKS),
    "peak_bytes",
    "setup_seconds",
    "startup_seconds",
    "energy_joules",
    "error_rms_relative",
    "error_max_absolute",
    "error_of_tolerance",
)
TARGET = ("target", "variant", "status", "reason", "tier", "device")
RUN = ("run", "machine", "fingerprint", "commit", "seed", "started")
COLUMNS = [*TARGET, *JUDGED, *(f"baseline_{c}" for c in SIDE), *(f"variant_{c}" for c in SIDE), "warnings", *RUN]


def render(run: Run) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for target in run.targets:
        for variant in target.ratios or [""]:
            writer.writerow(_row(run, target, variant))
    return out.getvalue()


def _row(run: Run, target: TargetResult, variant: str) -> dict[str, Any]:
    row: dict[str, Any] = {"target": target.target, "variant": variant, "status": target.status}
    row |= {"reason": target.reason, "tier": target.tier, "device": target.device}
    if variant:
        judged = target.ratios[variant].model_dump()
        row |= {name: judged[name] for name in JUDGED}
    row |= {f"baseline_{name}": value for name, value in _side(target.variants.get("baseline")).items()}
    row |= {f"variant_{name}": value for name, value in _side(target.variants.get(variant)).items()}
    row["warnings"] = " ".join(warning.code for warning in target.warnings)
    row |= {"run": run.run, "machine": run.machine.get("kind"), "fingerprint": run.machine.get("fingerprint")}
    row |= {"commit": run.git.get("commit"), "seed": run.seed, "started": target.started or run.started}
    return row


def _side(side: VariantResult | None) -> dict[str, Any]:
    if side is None:
        return {}
    found: dict[str, Any] = {f"{clock}_seconds": side.times.get(clock) for clock in CLOCKS}
    found["peak_bytes"] = side.memory.peak_bytes if side.memory else None
    found |= {name: getattr(side, name) for name in ("setup_seconds", "startup_seconds", "energy_joules")}
    for name in ("rms_relative", "max_absolute", "of_tolerance"):
        found[f"error_{name}"] = getattr(side.error, name) if side.error else None
    return found
