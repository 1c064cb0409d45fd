"""Read a measured sweep of step times and fit the shares of the rates that were reached, and the seconds besides.

A point is memory-bound or compute-bound by the model; its time is then linear in 1/η_m or 1/η_c and the launch time.
Least squares on relative errors, the bounds chosen anew until they stay the same. Weights and cache share η_m unless
two shares explain the sweep better, by the squared errors for each point that is left over: a step whose cache is read
worse than its weights would need a launch time below zero. Where every step reads the same weights, their share then
holds the launch time too: the two cannot be told apart.
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
WEIGHTS, CACHE, COMPUTE, LAUNCH = range(4)  # columns: the seconds of each at the speed of light; a step's own second

Row = tuple[list[float], float]
Form = tuple[tuple[int, ...], ...]  # columns of one entry have one share
FORMS: tuple[Form, ...] = (
    ((WEIGHTS, CACHE), (COMPUTE,), (LAUNCH,)),
    ((WEIGHTS,), (CACHE,), (COMPUTE,), (LAUNCH,)),
    ((WEIGHTS,), (CACHE,), (COMPUTE,)),
    ((WEIGHTS, CACHE), (COMPUTE,)),
)


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


def _cache(step: Step) -> float:
    """Of the memory seconds, those of keys and values."""
    return step.memory_seconds * step.kv_bytes / step.bytes if step.bytes else 0.0


def _memory(step: Step, reached: Calibration) -> float:
    cache = _cache(step)
    return (step.memory_seconds - cache) / reached.memory + cache / reached.of_cache


def _compute(step: Step, reached: Calibration) -> float:
    return step.compute_seconds / reached.compute


def _predicted(step: Step, reached: Calibration) -> float:
    return max(_memory(step, reached), _compute(step, reached)) + (step.communication or 0.0) + reached.launch


def _solved(points: Sequence[Point], steps: Sequence[Step], bounds: list[str], before: Calibration) -> Calibration:
    """By the form that leaves least, the plainer where two leave the same; those with a negative part are none."""
    rows = [_row(*one) for one in zip(points, steps, bounds, strict=True)]
    tried = [found for form in FORMS if (found := _tried(rows, form)) is not None]
    if not tried:
        return before
    least = min(left for left, _ in tried)
    values = next(values for left, values in tried if left <= least * 1.001 + 1e-12)
    return Calibration(
        1 / values[WEIGHTS] if WEIGHTS in values else before.memory,
        1 / values[COMPUTE] if COMPUTE in values else before.compute,
        values.get(LAUNCH, 0.0),
        1 / values[CACHE] if CACHE in values else None,
    )


def _row(point: Point, step: Step, bound: str) -> Row:
    """What each unknown adds to the time, and what they explain together, both as shares of the measured time."""
    cache = _cache(step)
    memory = (step.memory_seconds - cache, cache, 0.0) if bound == "memory" else (0.0, 0.0, step.compute_seconds)
    return [one / point.seconds for one in (*memory, 1.0)], 1 - (step.communication or 0.0) / point.seconds


def _tried(rows: list[Row], form: Form) -> tuple[float, dict[int, float]] | None:
    """What a form leaves unexplained and its values, by the first column of each; None where it cannot be solved."""
    used = [columns for columns in form if any(row[place] for row, _ in rows for place in columns)]
    joined = [([sum(row[place] for place in columns) for columns in used], goal) for row, goal in rows]
    values = _least_squares(joined)
    if values is None or any(value <= 0 for value in values):
        return None
    left = sum((sum(map(float.__mul__, row, values)) - goal) ** 2 for row, goal in joined)
    named = {columns[0]: value for columns, value in zip(used, values, strict=True)}
    return left / max(1, len(rows) - len(used)), named


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
