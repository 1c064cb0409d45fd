"""Tokens per second, watts, tokens per joule and share of the limit by size of model, from saved rows of the engine.

A line of the file is one row of `benchmarks/engine_gpu.py --rows`. A size that has no row says "not measured yet", and
so does a figure that the row does not have.
"""

import json
import math
from collections.abc import Iterable
from typing import Any

from perfproof.core.errors import DocumentError

BEGIN, END = "<!-- models:begin -->", "<!-- models:end -->"
SIZES = {"1 B": 1e9, "8 B": 8e9, "40 B": 40e9}  # parameters
PHASES = ("prefill", "decode")
NEAR = 1.6  # a model counts for a size if its parameters are within this factor
TITLES = (
    "size",
    "phase",
    "model",
    "what ran",
    "batch",
    "tokens",
    "tokens/s",
    "W",
    "tokens/J",
    "of the limit",
    "machine",
)
MISSING = "not measured yet"


def read_rows(text: str, where: str) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            row = json.loads(line)
            _ = row["phase"], row["parameters"] + row["batch"] + row["tokens"], row["per_step"] / row["seconds"]
        except (ValueError, TypeError, KeyError, ZeroDivisionError) as error:
            raise DocumentError(f"{where}:{number}: no row of engine_gpu.py ({error!r}); write it again") from None
        rows.append(row)
    return rows


def model_table(rows: Iterable[dict[str, Any]]) -> str:
    """All rows by size and phase; of equal ones the newest whose energy was measured, if there is one."""
    newest: dict[tuple, dict[str, Any]] = {}
    for row in rows:
        key = tuple(row.get(name) for name in ("phase", "shape", "kind", "batch", "tokens", "machine"))
        if key not in newest or _rank(newest[key]) <= _rank(row):
            newest[key] = row
    lines = [f"| {' | '.join(TITLES)} |", f"|{'---|' * 4}{'---:|' * 6}---|"]
    for size, parameters in SIZES.items():
        for phase in PHASES:
            found = [row for row in newest.values() if row["phase"] == phase and _is_near(row, parameters)]
            found.sort(key=lambda row: (row["batch"], -row["per_step"] / row["seconds"]))
            lines += [_line(size, row) for row in found] or [f"| {size} | {phase} | {MISSING} {'| – ' * 8}|"]
    return "\n".join(lines)


def _rank(row: dict[str, Any]) -> tuple[bool, str]:
    return bool(row.get("joules")), row["date"]


def _is_near(row: dict[str, Any], parameters: float) -> bool:
    return abs(math.log(row["parameters"] / parameters)) < math.log(NEAR)


def _line(size: str, row: dict[str, Any]) -> str:
    joules, share = row.get("joules"), row.get("share")
    power = [f"{joules / row['seconds']:,.0f}", f"{row['per_step'] / joules:,.3g}"] if joules else [MISSING] * 2
    limit = f"{100 * share:.1f} %" if share else MISSING
    measured = [f"{row['batch']:,}", f"{row['tokens']:,}", f"{row['per_step'] / row['seconds']:,.0f}", *power, limit]
    cells = [size, row["phase"], row["shape"], row["kind"], *measured, f"{row['machine']}, {row['date']}"]
    return f"| {' | '.join(cells)} |"
