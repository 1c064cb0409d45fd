"""Two profiles compared, as text."""

import re
from collections.abc import Callable

from perfproof.cli.show.profile import MARKS, MOST_DIFFERENCES, NAME_WIDTH, difference_lines
from perfproof.core.profile_comparison import ComparedProfile, ProfileComparison
from perfproof.core.profile_record import Difference, Portion
from perfproof.core.units import percent, seconds

EVERYTHING = 0.98  # of all samples in both: such a function is the program itself
ONCE = "one recording of each: a difference below 5 % is not one, and larger ones have no interval"
SCATTERS = "shares of samples scatter: a difference below two standard errors is not one either"


def comparison_text(found: ProfileComparison) -> str:
    lines = [found.headline, ""] if found.headline else []
    lines += [f"a: {_profile(found.a)}", f"b: {_profile(found.b)}"]
    if found.a.steps and found.b.steps and _way(found.a) != _way(found.b):
        lines.append(f"note  steps were found in two ways: a: {found.a.step_source}; b: {found.b.step_source}")
    lines += [f"note  {name}: {note}" for name, one in (("a", found.a), ("b", found.b)) for note in one.notes]
    sampled = any(row.kind == "frame" for row in found.rows)
    lines += ["", f"per {found.per}: {_counts(found.rows)}" + (", innermost frames" if sampled else "")]
    counters = any(one and one.counters for row in found.rows for one in (row.before, row.after))
    lines += difference_lines(found.rows, "--json") if counters else _table(found.rows, found.per)
    functions = [row for row in found.functions if not _is_everything(row)]
    if functions:
        lines += ["", f"functions with all that they call: {_counts(functions)}", *_table(functions, found.per)]
    lines += ["", ONCE, *([SCATTERS] if sampled or functions else [])]
    if found.functions and any(one and one.seconds is not None for one in _sides(found.functions)):
        lines.append("times of functions and frames are their samples, scaled to the length of a step")
    if found.per == "recording" and sampled:
        lines.append("shares are of all samples of a recording, start-up included")
    elif found.per == "recording" and found.a.source != "ncu":
        lines.append("steps were not found in both: sums are of whole recordings, start-up included")
    return "\n".join(lines) + "\n"


def _counts(rows: list[Difference]) -> str:
    changes = ("gone", "added", "changed", "same")
    return ", ".join(f"{sum(row.change == change for row in rows)} {change}" for change in changes)


def _sides(rows: list[Difference]) -> list[Portion | None]:
    return [one for row in rows for one in (row.before, row.after)]


def _is_everything(row: Difference) -> bool:
    return all(one is not None and (one.share or 0.0) >= EVERYTHING for one in (row.before, row.after))


def _table(rows: list[Difference], per: str) -> list[str]:
    """A row per kernel, operator or function: times, shares of samples and launches, of a and of b."""
    shown = rows[:MOST_DIFFERENCES]
    sides = [one for one in _sides(shown) if one]
    columns: list[tuple[str, list[str]]] = []
    if any(one.seconds is not None for one in sides):
        columns.append((f"time per {per}", [_both(row, _time) for row in shown]))
    if any(one.share is not None for one in sides):
        columns.append(("share of samples", [_both(row, _share) for row in shown]))
        columns.append(("samples", [_both(row, _launches) for row in shown]))
    elif sides:
        columns.append((f"launches per {per}", [_both(row, _launches) for row in shown]))
    if any(_else(row) for row in shown):
        columns.append(("", [_else(row) for row in shown]))
    widths = [max(map(len, [title, *cells])) for title, cells in columns]
    names = [_name(row.after or row.before) for row in shown]
    width = max(map(len, ["name", *names]), default=0)
    titles = [f"{title:<{size}}" for (title, _), size in zip(columns, widths, strict=True)]
    lines = ["  ".join([f"  {'':9} {'name':<{width}}", *titles]).rstrip()] if shown else []
    for place, row in enumerate(shown):
        cells = [f"{cells[place]:<{size}}" for (_, cells), size in zip(columns, widths, strict=True)]
        lines.append("  ".join([f"  {MARKS[row.change]} {row.change:<7} {names[place]:<{width}}", *cells]).rstrip())
    if len(rows) > MOST_DIFFERENCES:
        lines.append(f"  and {len(rows) - MOST_DIFFERENCES} more in --json")
    return lines


def _both(row: Difference, said: Callable[[Portion | None], str]) -> str:
    return f"{said(row.before)} -> {said(row.after)}"


def _time(one: Portion | None) -> str:
    return "–" if one is None else seconds(one.seconds)


def _share(one: Portion | None) -> str:
    return "–" if one is None else percent(one.share)


def _launches(one: Portion | None) -> str:
    if one is None or one.kind == "no operator":
        return "–"
    return (
        f"{one.launches:,.0f}" if one.launches >= 1000 or one.launches == int(one.launches) else f"{one.launches:.3g}"
    )


def _else(row: Difference) -> str:
    """What else differs of a kernel: template, grid, block."""
    named = [one for one in row.what.split(", ") if one in ("template", "grid", "block")]
    return f"another {', '.join(named)}" if named else ""


def _name(one: Portion | None) -> str:
    if one is None:
        return ""
    shape = f" {one.grid}/{one.block}" if one.grid or one.block else ""
    room = NAME_WIDTH - len(shape)
    name = one.name if len(one.name) <= room else f"{one.name[: room // 3]}…{one.name[-(room - room // 3 - 1) :]}"
    return name + shape


def _way(one: ComparedProfile) -> str:
    """What steps were found by, without how many there are."""
    return re.sub(r"\d[\d,.]*", "", one.step_source)


def _profile(one: ComparedProfile) -> str:
    steps = f", {one.steps} steady steps of {seconds(one.step_seconds)}" if one.steps else ""
    work = "" if one.work_seconds is None else f", work {seconds(one.work_seconds)}"
    samples = "" if one.samples is None else f", {one.samples:,.0f} samples"
    return f"{one.file} ({one.source}{steps}{work}{samples})"
