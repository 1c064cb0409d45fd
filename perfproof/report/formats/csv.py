"""A run as CSV: one row for each variant, every number as it is stored.

`baseline_value` and `variant_value` divide to the ratio. The columns by clock, of memory, start-up and energy hold the
same two numbers for what was judged, and each side's median for everything else.
"""

import csv
import io
from typing import Any

from perfproof.core.documents import RatioResult, Run, TargetResult, VariantResult
from perfproof.core.ratio_figures import ratio_figures

CLOCKS = ("call", "kernel", "latency", "wall", "cpu")
NO_CELL = ("modes", "units", "baseline", "variant")  # lists do not fit a cell; the figures have columns of their own
JUDGED = [name for name in RatioResult.model_fields if name not in NO_CELL]
SIDE = (
    *(f"{clock}_seconds" for clock in CLOCKS),
    "peak_bytes",
    "setup_seconds",
    "first_call_seconds",
    "cpu_share",
    "startup_seconds",
    "energy_joules",
    "error_rms_relative",
    "error_max_absolute",
    "error_of_tolerance",
)
TARGET = ("target", "variant", "status", "reason", "gate", "tier", "device")
RUN = ("run", "machine", "fingerprint", "commit", "seed", "started")
VALUES = ("baseline_value", "variant_value")
SIDES = [*(f"baseline_{column}" for column in SIDE), *(f"variant_{column}" for column in SIDE)]
COLUMNS = [*TARGET, *JUDGED, *VALUES, *SIDES, "not_run", "warnings", *RUN]
CLAIMS = {"memory": "peak_bytes", "startup": "startup_seconds", "energy": "energy_joules"}  # the column of a claim


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
    row |= {"reason": target.reason, "gate": target.gate, "tier": target.tier, "device": target.device}
    row |= {f"baseline_{name}": value for name, value in _side(target.variants.get("baseline")).items()}
    row |= {f"variant_{name}": value for name, value in _side(target.variants.get(variant)).items()}
    if variant:
        row |= _judged(target, variant)
    row["not_run"] = " ".join(check.name.replace(" ", "-") for check in target.checks if check.result == "not-run")
    row["warnings"] = " ".join(warning.code for warning in target.warnings)
    row |= {"run": run.run, "machine": run.machine.get("kind"), "fingerprint": run.machine.get("fingerprint")}
    row |= {"commit": run.git.get("commit"), "seed": run.seed, "started": target.started or run.started}
    return row


def _judged(target: TargetResult, variant: str) -> dict[str, Any]:
    """The ratio and its two figures, which also stand in the columns of what they measure."""
    judged = target.ratios[variant]
    figures = ratio_figures(target, variant)
    found = {name: getattr(judged, name) for name in JUDGED} | dict(zip(VALUES, figures, strict=True))
    column = f"{judged.clock}_seconds" if judged.claim == "time" else CLAIMS.get(judged.claim)
    if column in SIDE:
        found |= {f"{side}_{column}": value for side, value in zip(("baseline", "variant"), figures, strict=True)}
    return found


def _side(side: VariantResult | None) -> dict[str, Any]:
    if side is None:
        return {}
    found: dict[str, Any] = {f"{clock}_seconds": side.times.get(clock) for clock in CLOCKS}
    found["peak_bytes"] = side.memory.peak_bytes if side.memory else None
    found |= {
        name: getattr(side, name)
        for name in ("setup_seconds", "first_call_seconds", "cpu_share", "startup_seconds", "energy_joules")
    }
    for name in ("rms_relative", "max_absolute", "of_tolerance"):
        found[f"error_{name}"] = getattr(side.error, name) if side.error else None
    return found
