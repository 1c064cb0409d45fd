"""Read a measured sweep of step times and fit the shares of the rates that were reached, and the seconds besides.

A point is memory-bound or compute-bound by the model; its time is then linear in 1/η_m or 1/η_c and the launch time.
Least squares on relative errors, the bounds chosen anew until they stay the same.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from perfproof.calc.step_time import Calibration, Step
from perfproof.core.errors import DocumentError

ROUNDS = 20


@dataclass(frozen=True)
class Point:
    """A measured decode step: sequences in the batch, mean context, seconds."""

    batch: int
    context: int
    seconds: float


@dataclass(frozen=True)
class Fit:
    reached: Calibration
    residuals: tuple[float, ...]  # predicted over measured, less one
    memory_points: int
    compute_points: int


def parse(text: str, where: str) -> list[Point]:
    """CSV with batch, context and seconds (or ms), or a JSON list of them; DocumentError names a row that is wrong."""
    rows = _json_rows(text, where) if text.lstrip()[:1] in ("[", "{") else list(csv.DictReader(io.StringIO(text)))
    points = [_point(row, f"{where}, row {number}") for number, row in enumerate(rows, 1)]
    if not points:
        raise DocumentError(f"{where} holds no rows: it needs the columns batch, context and seconds (or ms)")
    return points


def _json_rows(text: str, where: str) -> list[Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise DocumentError(f"{where} is no JSON: {error}") from None
    rows = found.get("points") if isinstance(found, dict) else found
    if not isinstance(rows, list):
        raise DocumentError(f'{where}: expected a list of points, or {{"points": [...]}}')
    return rows


def _point(row: Any, where: str) -> Point:
    try:
        seconds = float(row["seconds"]) if row.get("seconds") not in (None, "") else float(row["ms"]) / 1e3
        point = Point(int(row["batch"]), int(row["context"]), seconds)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DocumentError(f"{where}: needs batch, context and seconds (or ms) as numbers") from None
    if point.batch < 1 or point.context < 0 or not math.isfinite(seconds) or seconds <= 0:
        raise DocumentError(f"{where}: batch must be at least 1, context at least 0 and the time more than 0")
    return point


def fit(points: Sequence[Point], light: Callable[[Point], Step]) -> Fit:
    """`light` gives the step at the speed of light, whose memory and compute seconds are scaled."""
    steps = [light(point) for point in points]
    reached, bounds = Calibration(), [""] * len(points)
    for _ in range(ROUNDS):
        now = ["memory" if _memory(step, reached) >= _compute(step, reached) else "compute" for step in steps]
        if now == bounds:
            break
        bounds = now
        reached = _solved(points, steps, bounds, reached)
    predicted = [_predicted(step, reached) for step in steps]
    residuals = tuple(ours / point.seconds - 1 for ours, point in zip(predicted, points, strict=True))
    return Fit(reached, residuals, bounds.count("memory"), bounds.count("compute"))


def _memory(step: Step, reached: Calibration) -> float:
    return step.memory_seconds / reached.memory


def _compute(step: Step, reached: Calibration) -> float:
    return step.compute_seconds / reached.compute


def _predicted(step: Step, reached: Calibration) -> float:
    return max(_memory(step, reached), _compute(step, reached)) + step.communication + reached.launch


def _solved(points: Sequence[Point], steps: Sequence[Step], bounds: list[str], before: Calibration) -> Calibration:
    """With the launch time; without it where it comes out negative or cannot be told from the rest."""
    rows = []
    for point, step, bound in zip(points, steps, bounds, strict=True):
        memory = step.memory_seconds if bound == "memory" else 0.0
        compute = step.compute_seconds if bound == "compute" else 0.0
        rows.append(([one / point.seconds for one in (memory, compute, 1.0)], 1 - step.communication / point.seconds))
    used = [place for place in (0, 1) if any(row[place] for row, _ in rows)]
    for chosen in ([*used, 2], used):
        found = _least_squares([([row[place] for place in chosen], goal) for row, goal in rows])
        if found is not None and all(value > 0 for value in found):
            values = dict(zip(chosen, found, strict=True))
            return Calibration(
                1 / values[0] if 0 in values else before.memory,
                1 / values[1] if 1 in values else before.compute,
                values.get(2, 0.0),
            )
    return before


def _least_squares(rows: list[tuple[list[float], float]]) -> list[float] | None:
    """The normal equations by elimination; None where they have no single solution."""
    size = len(rows[0][0])
    if len(rows) < size:
        return None
    scale = [max(abs(row[place]) for row, _ in rows) or 1.0 for place in range(size)]
    table = [[0.0] * (size + 1) for _ in range(size)]
    for row, goal in rows:
        scaled = [value / unit for value, unit in zip(row, scale, strict=True)]
        for first in range(size):
            for second in range(size):
                table[first][second] += scaled[first] * scaled[second]
            table[first][size] += scaled[first] * goal
    for column in range(size):
        pivot = max(range(column, size), key=lambda line: abs(table[line][column]))
        if abs(table[pivot][column]) < 1e-9:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        for line in range(size):
            if line != column:
                factor = table[line][column] / table[column][column]
                table[line] = [one - factor * two for one, two in zip(table[line], table[column], strict=True)]
    return [table[place][size] / table[place][place] / scale[place] for place in range(size)]
