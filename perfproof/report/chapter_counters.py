"""The tables of counters in chapters/*/README.md: what ncu counted for the pairs that name counters.

Per side, the kernel that took longest in its newest profile by ncu at the pair's own sizes. A pair without one is "not
measured yet"; a row of a side that has no profile here stays as it is.
"""

from collections.abc import Iterable, Sequence

from perfproof.core.profile_record import Capture, ProfileRecord
from perfproof.core.units import amount, percent
from perfproof.pairs.pair import Broken, Pair
from perfproof.profile.manifest.roles import roles_of
from perfproof.report.chapters import between_marks, place
from perfproof.report.formats.md import escaped

BEGIN, END = "<!-- counters:begin -->", "<!-- counters:end -->"
TITLES = ("target", "groups", "side", "kernel", "counted per launch", "date")
NOT_YET = "not measured yet"


def place_counters(text: str, pairs: Sequence[Pair | Broken], records: Iterable[ProfileRecord], where: str) -> str:
    """The page with its table of counters, if it has the two marks."""
    if BEGIN not in text:
        return text
    table = counters_table(pairs, records, between_marks(text, where, BEGIN, END))
    return place(text, table, where, BEGIN, END)


def counters_table(pairs: Sequence[Pair | Broken], records: Iterable[ProfileRecord], existing: str = "") -> str:
    by_ncu = sorted((one for one in records if one.tool == "ncu"), key=lambda one: one.started)
    lines = [f"| {' | '.join(TITLES)} |", f"|{'---|' * len(TITLES)}"]
    for pair in pairs:
        if isinstance(pair, Pair) and pair.counters:
            rows = _kept(pair, existing) | _rows(pair, by_ncu)
            lines += [rows[side] for side in pair.sides if side in rows] or [_row(pair, "–", "–", NOT_YET, "–")]
    return "\n".join(lines)


def _rows(pair: Pair, records: Iterable[ProfileRecord]) -> dict[str, str]:
    """By side. Smoke sizes are no result of a chapter."""
    return {
        one.variant: _row(pair, one.variant, *_heaviest(one, pair.counters), record.started[:10])
        for record in records
        if record.target == pair.name and record.sizes == pair.workload
        for one in record.captures
        if one.status == "ok" and one.portions
    }


def _heaviest(capture: Capture, wanted: Sequence[str]) -> tuple[str, str]:
    """The kernel, and its counters by their roles: `SMEM: load conflicts 65.2 M, load wavefronts 67.3 M; L2: …`."""
    kernel = capture.portions[0]  # the largest comes first
    counted: dict[str, list[str]] = {}
    for metric, value in kernel.counters.items():
        for role in roles_of(metric):
            group, _, name = role.partition(".")
            if group in wanted or role in wanted:
                counted.setdefault(group, []).append(f"{name.replace('_', ' ')} {_figure(metric, value)}")
    listed = "; ".join(f"{group}: {', '.join(roles)}" for group, roles in counted.items())
    return kernel.name, listed or "none of them was collected"


def _figure(metric: str, value: float) -> str:
    if ".pct" in metric:
        return percent(value)
    return amount(value, "").rstrip()


def _kept(pair: Pair, existing: str) -> dict[str, str]:
    """Rows that are there already, by side."""
    found: dict[str, str] = {}
    for side in pair.sides:
        start = f"| {' | '.join(map(escaped, (pair.name, ', '.join(pair.counters), side)))} |"
        found.update((side, line) for line in existing.splitlines() if line.startswith(start))
    return found


def _row(pair: Pair, side: str, kernel: str, counted: str, date: str) -> str:
    cells = (pair.name, ", ".join(pair.counters), side, kernel, counted, date)
    return f"| {' | '.join(map(escaped, cells))} |"
