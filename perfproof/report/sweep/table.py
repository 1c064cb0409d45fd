"""A sweep as text: a sentence about the best point, one line per point and variant, and what to do with the best."""

import shlex
from collections import Counter
from typing import Any

from perfproof.core import units
from perfproof.core.documents import Run, TargetResult
from perfproof.core.other_work import is_other_work
from perfproof.report.heading import heading
from perfproof.report.next_step import after_skipping
from perfproof.report.remarks import common_codes, notes_of, remarks_of, warnings_for_all
from perfproof.report.rows import Row, folder_of, level_text, one_line, target_rows
from perfproof.report.sentences import sentence
from perfproof.report.sweep.of_command import after_command_sweep, command_table
from perfproof.report.sweep.points import base_of, point_words, points_of
from perfproof.report.text import aligned, wrapped

WIDTH = 100


def render(run: Run, width: int = WIDTH, notes: bool = False, picture: str = "") -> str:
    axes = list(run.options["sweep"]["axes"])
    table = command_table(run) if base_of(run) else _pair_table(run)
    reasons = [reason for target in run.targets for row in target_rows(target) for reason in _reasons(row)]
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


def _pair_table(run: Run) -> list[list[str]]:
    """A line for each point and variant."""
    axes = list(run.options["sweep"]["axes"])
    several = any(len(target.ratios) > 1 for target in run.targets)
    titles = ("verdict", f"ratio [{level_text(run)} % interval]", "baseline", "variant")
    table = [[*axes, *titles, *(["name"] if several else [])]]
    for point, target in zip(points_of(run), run.targets, strict=True):
        for row in target_rows(target):
            sizes = [str(point[axis]) for axis in axes]
            cells = [row.word, row.ratio, row.baseline, row.measured]
            table.append([*sizes, *cells, *([row.variant.removeprefix("optimized_")] if several else [])])
    return table


def best_sentence(run: Run) -> str:
    """What is known about the best point; of a grid it says how many there are."""
    best, base, others = best_of(run), base_of(run), other_points(run)
    if others and len(others) == len(run.targets):
        return _size_of_work(run)
    if best is None:
        return ""
    said, count = sentence(best, target_rows(best)[0]), len(run.targets) - len(others) + bool(base)
    if others:
        beside = f"{units.count(len(others), 'point')} printed something else than {point_words(base)}"
        return f"{_best_words(best, base, said, count)} {beside}: other work, not judged."
    return _best_words(best, base, said, count)


def other_points(run: Run) -> list[TargetResult]:
    """Points that did other work than the base: they printed something else."""
    return [target for target in run.targets if is_other_work(target)]


def _size_of_work(run: Run) -> str:
    """Every point printed something else than the base."""
    sweep = run.options["sweep"]
    axes, judged = " and ".join(sweep["axes"]), sweep.get("judged", "wall")
    what = f"{judged} time" if judged in ("wall", "cpu") else judged
    return (
        f"every point prints something else than {point_words(base_of(run))}, so {axes} is a size of the work: here is "
        f"the {what} at each value, and no point is better. To compare rates, let the command print one: --metric, "
        "--judge."
    )


def _best_words(best: TargetResult, base: dict[str, Any], said: str, count: int) -> str:
    if base and not _is_gain(best):
        return f"no point is shown to be better than {point_words(base)}; the nearest: {said}"
    return f"best of {count} points: {said}" if count > 1 else said


def best_of(run: Run) -> TargetResult | None:
    """The point with the highest lower end of an interval; one without an interval only if no point has one."""
    judged = [
        target
        for target in run.targets
        if target.status == "ok" and _lower_end(target)[1] > 0 and not is_other_work(target)
    ]
    return max(judged, key=_lower_end, default=None)


def _lower_end(target: TargetResult) -> tuple[bool, float]:
    """Does the first variant have an interval, and where it begins; else its ratio."""
    first = next(iter(target.ratios.values()), None)
    if first is None:
        return False, 0.0
    return (True, first.low) if first.low is not None and first.high is not None else (False, first.ratio or 0.0)


def _is_gain(target: TargetResult) -> bool:
    first = next(iter(target.ratios.values()))
    return first.verdict in ("faster", "better")


def _heading(run: Run, width: int) -> list[str]:
    state = f"{run.state}: {len(run.targets)} of {len(run.planned)} points done"
    return [*_wrapped(heading(run), width), *([] if run.state == "finished" else [state])]


def _aligned(table: list[list[str]], axes: int, width: int) -> list[str]:
    """Values of axes and times to the right, words to the left; where there is no room, the figures below the sizes."""
    right = {axes + 2, axes + 3} if "verdict" in table[0] else set(range(axes, len(table[0])))
    lines = aligned(table, right=right | set(range(axes)))
    if max(map(len, lines)) <= width:
        return lines
    stacked = []
    for row in table[1:]:
        sizes = ", ".join(f"{name}={value}" for name, value in zip(table[0][:axes], row[:axes], strict=True))
        figures = "  ".join(cell for cell in row[axes:] if cell)
        stacked += [*_wrapped(sizes, width), *wrapped(figures, width, indent="  ")]
    return stacked


def _reasons(row: Row) -> list[str]:
    """Why a point has no ratio: the rest is in the document."""
    return [] if row.ratio else [f"{row.label}: {one_line(note)}" for note in row.notes]


def _not_checked(run: Run) -> list[str]:
    """Said once for all points that lack the same checks."""
    lacking = Counter(row.missing for target in run.targets for row in target_rows(target) if row.missing)
    return [f"{missing} ({units.count(number, 'point')})" for missing, number in lacking.items()]


def _remarks(run: Run) -> list[str]:
    """Also what a run of one point would say below its row: here every line is a point."""
    apart, found = common_codes(run), []
    for target in run.targets:
        for row in target_rows(target):
            found += [f"{row.label}: {text}" for text in remarks_of(run, target, row, apart).shown if row.ratio]
    return [*found, *notes_of(run)]


def _wrapped(text: str, width: int) -> list[str]:
    return wrapped(text, width, hanging="    ") or [""]


def _footer(run: Run, width: int, notes: int, picture: str) -> list[str]:
    sweep, folder = run.options["sweep"], folder_of(run)
    texts = [f"{axis} {why}" for axis, why in sweep.get("reduced", {}).items()]
    texts += warnings_for_all(run) + _not_checked(run)
    best, name = best_of(run), run.run.rpartition("-")[2]
    if best is not None and len(run.targets) > 1 and (not base_of(run) or _is_gain(best)):
        texts.append(f"the best of {len(run.targets)} points was chosen after looking: measure it once more by itself")
    texts += [f"saved in {folder}", *([f"picture: {picture}"] if picture else [])]
    where = "" if folder.parent.as_posix() == "artifacts" else f" --artifacts-dir {shlex.quote(str(folder.parent))}"
    if notes:
        texts.append(f"{notes} note{'' if notes == 1 else 's'}: perfproof report run {name} --notes{where}")
    lines = [line for text in texts for line in _wrapped(text, width)]
    if run.state == "finished" and run.targets and all(target.status == "skipped" for target in run.targets):
        return [*lines, f"next: {after_skipping(run)}"]
    if run.state == "finished" and best is None and other_points(run):
        return lines
    if run.state != "finished" or best is None:  # points without a result are measured again
        return [*lines, f"next: perfproof sweep --resume {name}{where}"]
    if base_of(run):
        return [*lines, f"next: {after_command_sweep(run, best)}{where}"]
    point = next(point for point, target in zip(points_of(run), run.targets, strict=True) if target is best)
    sizes = " ".join(f"--set {shlex.quote(f'{axis}={value}')}" for axis, value in point.items())
    return [*lines, f"next: perfproof run {shlex.quote(sweep['written'])} {sizes}{where}"]
