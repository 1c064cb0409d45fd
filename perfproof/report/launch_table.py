"""A second table of a chapter's page: launches per call, how long the device was busy, and both times of a call.

Every side of every variant is a row. Busy is the time in which at least one kernel ran, by the device's own records;
idle is the rest of the time per call. Only a GPU has such records. As in the table of results, rows of a machine whose
runs are not here stay as they are.
"""

from collections.abc import Iterable, Sequence

from perfproof.core.documents import Run, TargetResult, VariantResult
from perfproof.core.units import seconds
from perfproof.pairs.pair import Broken, Pair
from perfproof.report.chapters import between_marks, place
from perfproof.report.formats.md import escaped

BEGIN, END = "<!-- launches:begin -->", "<!-- launches:end -->"
TITLES = ("target", "side", "launches", "device busy", "call", "latency", "idle", "machine", "date")
NOT_MEASURED = "not measured yet"
Row = tuple[str, ...]


def launch_table(pairs: Sequence[Pair | Broken], runs: Iterable[Run], existing: str = "") -> str:
    """The table for these pairs, in their order; `existing` is the text that now stands between the marks."""
    newest: dict[tuple[str, str], list[Row]] = {}
    for group in [*_parse(existing), *_groups_of(runs)]:
        key = (group[0][0], group[0][-2])
        if key not in newest or newest[key][0][-1] <= group[0][-1]:
            newest[key] = group
    lines = [_line(TITLES), "|---|---|---:|---:|---:|---:|---:|---|---|"]
    for pair in pairs:
        name = escaped(pair.name)
        rows = [row for (target, _), group in sorted(newest.items()) if target == name for row in group]
        lines += [_line(row) for row in rows or [(name, NOT_MEASURED, *["–"] * (len(TITLES) - 2))]]
    return "\n".join(lines)


def place_launches(readme: str, pairs: Sequence[Pair | Broken], runs: Iterable[Run], where: str) -> str:
    """The text with the table between its marks; a page without marks stays as it is."""
    if BEGIN not in readme:
        return readme
    table = launch_table(pairs, runs, between_marks(readme, where, BEGIN, END))
    return place(readme, table, where, BEGIN, END)


def _groups_of(runs: Iterable[Run]) -> list[list[Row]]:
    found = []
    for run in runs:
        if run.options.get("fast") or run.options.get("effort") == "quick":
            continue
        for target in run.targets:
            rows = _rows(target, str(run.machine.get("kind", "unknown")), (target.started or run.started)[:10])
            if rows:
                found.append(rows)
    return found


def _rows(target: TargetResult, machine: str, date: str) -> list[Row]:
    if target.status != "ok" or any(warning.code == "W120" for warning in target.warnings):  # W120: other sizes
        return []
    sides = [(name, side) for name, side in target.variants.items() if side.kernels]
    return [(escaped(target.target), escaped(name), *_figures(side), machine, date) for name, side in sides]


def _figures(side: VariantResult) -> Row:
    launches = sum(kernel.count for kernel in side.kernels)
    busy = side.times.get("kernel") or sum(kernel.seconds for kernel in side.kernels)
    call, latency = side.times.get("call"), side.times.get("latency")
    whole = call or latency
    idle = f"{max(0.0, 1 - busy / whole):.0%}".replace("%", " %") if whole else "–"
    return f"{launches:.4g}", seconds(busy), seconds(call) if call else "–", seconds(latency) if latency else "–", idle


def _parse(existing: str) -> list[list[Row]]:
    """The rows that this module wrote, by pair and machine, less those that say that there is nothing."""
    found: dict[tuple[str, str], list[Row]] = {}
    for text in existing.splitlines():
        cells = tuple(cell.strip() for cell in text.strip().strip("|").split("|"))
        if len(cells) == len(TITLES) and cells[-1][:2] == "20" and cells[1] != NOT_MEASURED:
            found.setdefault((cells[0], cells[-2]), []).append(cells)
    return list(found.values())


def _line(cells: Row) -> str:
    return f"| {' | '.join(cells)} |"
