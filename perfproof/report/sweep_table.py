"""A sweep as text: a sentence about the best point, one line per point and variant, and what to do with the best."""

import shlex
import textwrap
from itertools import product
from typing import Any

from perfproof.core.documents import Run, TargetResult
from perfproof.report.heading import heading
from perfproof.report.next_step import after_skipping
from perfproof.report.remarks import common_codes, notes_of, remarks_of, warnings_for_all
from perfproof.report.rows import Row, folder_of, level_text, one_line, target_rows
from perfproof.report.sentences import sentence

WIDTH = 100


def render(run: Run, width: int = WIDTH, notes: bool = False, picture: str = "") -> str:
    sweep = run.options["sweep"]
    axes = list(sweep["axes"])
    several = any(len(target.ratios) > 1 for target in run.targets)
    titles = ("verdict", f"ratio [{level_text(run)} % interval]", "baseline", "variant")
    table = [[*axes, *titles, *(["name"] if several else [])]]
    reasons: list[str] = []
    for point, target in zip(points_of(run), run.targets, strict=True):
        for row in target_rows(target):
            sizes = [str(point[axis]) for axis in axes]
            cells = [row.said, row.ratio, row.baseline, row.measured]
            table.append([*sizes, *cells, *([row.variant.removeprefix("optimized_")] if several else [])])
            reasons += _reasons(row)
    said, remarks = best_sentence(run), _remarks(run)
    blocks = [
        _heading(run, width),
        _wrapped(said, width) if said else [],
        _aligned(table, len(axes), width),
        [line for reason in reasons for line in _wrapped(reason, width)],
        [line for note in remarks for line in _wrapped(note, width)] if notes else [],
        _footer(run, width, 0 if notes else len(remarks), picture),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def best_sentence(run: Run) -> str:
    """What is known about the best point; of a grid it says how many there are."""
    best = best_of(run)
    if best is None:
        return ""
    many = f"best of {len(run.targets)} points: " if len(run.targets) > 1 else ""
    return many + sentence(best, target_rows(best)[0])


def points_of(run: Run) -> list[dict[str, Any]]:
    """The point of each finished target: what its sizes are along the axes."""
    axes = run.options["sweep"]["axes"]
    by_name = dict(zip(run.planned, combinations(axes), strict=True))
    return [by_name[target.target] for target in run.targets]


def combinations(axes: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Every combination of values, in the order in which points are planned: the last axis runs fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def best_of(run: Run) -> TargetResult | None:
    """The point with the highest lower end of an interval; one without an interval only if no point has one."""
    judged = [target for target in run.targets if target.status == "ok" and _lower_end(target)[1] > 0]
    return max(judged, key=_lower_end, default=None)


def _lower_end(target: TargetResult) -> tuple[bool, float]:
    """Does the first variant have an interval, and where it begins; else its ratio."""
    first = next(iter(target.ratios.values()), None)
    if first is None:
        return False, 0.0
    return (True, first.low) if first.low is not None and first.high is not None else (False, first.ratio or 0.0)


def _heading(run: Run, width: int) -> list[str]:
    state = f"{run.state}: {len(run.targets)} of {len(run.planned)} points done"
    return [*_wrapped(heading(run), width), *([] if run.state == "finished" else [state])]


def _aligned(table: list[list[str]], axes: int, width: int) -> list[str]:
    """Values of axes and times to the right, words to the left; where there is no room, the figures below the sizes."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    right = {*range(axes), axes + 2, axes + 3}
    lines = [
        "  ".join(
            f"{cell:>{size}}" if column in right else f"{cell:<{size}}"
            for column, (cell, size) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    if max(map(len, lines)) <= width:
        return lines
    stacked = []
    for row in table[1:]:
        sizes = ", ".join(f"{name}={value}" for name, value in zip(table[0][:axes], row[:axes], strict=True))
        figures = "  ".join(cell for cell in row[axes:] if cell)
        stacked += [
            *_wrapped(sizes, width),
            *textwrap.wrap(figures, width, initial_indent="  ", subsequent_indent="  "),
        ]
    return stacked


def _reasons(row: Row) -> list[str]:
    """Why a point has no ratio: the rest is in the document."""
    return [] if row.ratio else [f"{row.label}: {one_line(note)}" for note in row.notes]


def _remarks(run: Run) -> list[str]:
    """Also what a run of one point would say below its row: here every line is a point."""
    apart, found = common_codes(run), []
    for target in run.targets:
        for row in target_rows(target):
            found += [f"{row.label}: {text}" for text in remarks_of(run, target, row, apart).shown if row.ratio]
    return [*found, *notes_of(run)]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="    ", break_on_hyphens=False) or [""]


def _footer(run: Run, width: int, notes: int, picture: str) -> list[str]:
    sweep, folder = run.options["sweep"], folder_of(run)
    texts = [f"{axis} {why}" for axis, why in sweep.get("reduced", {}).items()]
    texts += warnings_for_all(run)
    best, name = best_of(run), run.run.rpartition("-")[2]
    if best is not None and len(run.targets) > 1:
        texts.append(f"the best of {len(run.targets)} points was chosen after looking: measure it once more by itself")
    texts += [f"saved in {folder}", *([f"picture: {picture}"] if picture else [])]
    where = "" if folder.parent.as_posix() == "artifacts" else f" --artifacts-dir {shlex.quote(str(folder.parent))}"
    if notes:
        texts.append(f"{notes} note{'' if notes == 1 else 's'}: perfproof report run {name} --notes{where}")
    lines = [line for text in texts for line in _wrapped(text, width)]
    if run.state == "finished" and run.targets and all(target.status == "skipped" for target in run.targets):
        return [*lines, f"next: {after_skipping(run)}"]
    if run.state != "finished" or best is None:  # points without a result are measured again
        return [*lines, f"next: perfproof sweep --resume {name}{where}"]
    point = next(point for point, target in zip(points_of(run), run.targets, strict=True) if target is best)
    sizes = " ".join(f"--set {shlex.quote(f'{axis}={value}')}" for axis, value in point.items())
    return [*lines, f"next: perfproof run {shlex.quote(sweep['written'])} {sizes}{where}"]
