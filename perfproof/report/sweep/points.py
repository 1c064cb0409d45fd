"""The points of a saved sweep: its axes, the point of each target, and what they are compared with."""

from itertools import product
from typing import Any

from perfproof.core.documents import Run


def points_of(run: Run) -> list[dict[str, Any]]:
    """The point of each finished target: what its sizes are along the axes."""
    base = base_of(run)
    planned = [point for point in combinations(run.options["sweep"]["axes"]) if point != base]
    by_name = dict(zip(run.planned, planned, strict=True))
    return [by_name[target.target] for target in run.targets]


def combinations(axes: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Every combination of values, in the order in which points are planned: the last axis runs fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def base_of(run: Run) -> dict[str, Any]:
    """The point of a command that the other points are compared with; empty for a pair."""
    return dict(run.options["sweep"].get("base") or {})


def point_words(point: dict[str, Any]) -> str:
    return " ".join(f"{axis}={value}" for axis, value in point.items())
