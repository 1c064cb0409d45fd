"""A sweep as a table: one line a point and variant, its sizes first; then the best point and what to do with it."""

from itertools import product
from typing import Any

from perfproof.core.documents import Run, TargetResult
from perfproof.report.rows import Row, folder_of, machine_warnings, one_line, target_rows

TITLES = ("verdict", "ratio", "baseline", "variant")


def render(run: Run) -> str:
    sweep = run.options["sweep"]
    axes = list(sweep["axes"])
    several = any(len(target.ratios) > 1 for target in run.targets)
    table = [[*axes, *TITLES, *(["name"] if several else [])]]
    notes: list[str] = []
    for point, target in zip(points_of(run), run.targets, strict=True):
        for row in target_rows(target):
            sizes = [str(point[axis]) for axis in axes]
            cells = [row.said, row.ratio, row.baseline, row.measured]
            table.append([*sizes, *cells, *([row.variant.removeprefix("optimized_")] if several else [])])
            notes += _notes(row)
    lines = [_heading(run), "", *_aligned(table, len(axes)), "", *notes, *([""] if notes else [])]
    return "\n".join([*lines, *_footer(run)]) + "\n"


def points_of(run: Run) -> list[dict[str, Any]]:
    """The point of each finished target: what its sizes are along the axes."""
    axes = run.options["sweep"]["axes"]
    by_name = dict(zip(run.planned, combinations(axes), strict=True))
    return [by_name[target.target] for target in run.targets]


def combinations(axes: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Every combination of values, in the order in which points are planned: the last axis runs fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def best_of(run: Run) -> TargetResult | None:
    """The point with the highest ratio, by the lower end of its interval where it has one."""
    judged = [target for target in run.targets if target.status == "ok" and _lower_end(target) is not None]
    return max(judged, key=lambda target: _lower_end(target) or 0.0, default=None)


def _lower_end(target: TargetResult) -> float | None:
    first = next(iter(target.ratios.values()), None)
    return None if first is None else first.low if first.low is not None else first.ratio


def _heading(run: Run) -> str:
    kind, effort = run.machine.get("kind", "unknown machine"), run.options.get("effort", "quick")
    done, planned = len(run.targets), len(run.planned)
    state = "" if run.state == "finished" else f"; {run.state}: {done} of {planned} points done"
    return f"{run.options['sweep']['target']} on {kind}, {effort} effort; ratio is baseline over variant{state}"


def _aligned(table: list[list[str]], axes: int) -> list[str]:
    """Values of axes and times to the right, words to the left."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    right = {*range(axes), axes + 2, axes + 3}
    return [
        "  ".join(
            f"{cell:>{width}}" if column in right else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def _notes(row: Row) -> list[str]:
    """Why a point has no ratio: the rest is in the document."""
    return [] if row.ratio else [f"{row.label}: {one_line(note)}" for note in row.notes]


def _footer(run: Run) -> list[str]:
    sweep, folder = run.options["sweep"], folder_of(run)
    lines = [f"{axis} {why}" for axis, why in sweep.get("reduced", {}).items()]
    lines += [f"{one['code']} {one_line(one['text'])}" for one in machine_warnings(run)]
    best = best_of(run)
    if best is not None and len(run.targets) > 1:
        lines.append(f"the best of {len(run.targets)} points was chosen after looking: measure it once more by itself")
    lines.append(f"saved in {folder}")
    where = "" if folder.parent.as_posix() == "artifacts" else f" --artifacts-dir {folder.parent}"
    if run.state != "finished":
        return [*lines, f"next: perfproof sweep --resume {run.run.rpartition('-')[2]}{where}"]
    if best is None:
        return [*lines, f"next: less {folder / 'run.json'}"]
    point = next(point for point, target in zip(points_of(run), run.targets, strict=True) if target is best)
    name = sweep["written"]
    sizes = " ".join(f"--set {axis}={value}" for axis, value in point.items())
    return [*lines, f"next: perfproof run {name} {sizes}{where}"]
