"""The tables of counters in chapters/*/README.md: what ncu counted for the pairs that name counters.

Per side, the kernel that took longest in the newest profile by ncu at the pair's own sizes. A pair without one is "not
measured yet"; a row of a profile that is not here stays as it is.
"""

from collections.abc import Iterable, Sequence

from perfproof.core.profile_record import Capture, ProfileRecord
from perfproof.pairs.pair import Broken, Pair
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.roles import metrics_of
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
    newest: dict[str, ProfileRecord] = {}
    for record in sorted(records, key=lambda one: one.started):
        if record.tool == "ncu" and record.target and any(one.status == "ok" for one in record.captures):
            newest[record.target] = record
    lines = [f"| {' | '.join(TITLES)} |", f"|{'---|' * len(TITLES)}"]
    for pair in pairs:
        if isinstance(pair, Pair) and pair.counters:
            lines += _rows(pair, newest.get(pair.name)) or _kept(pair, existing) or [_row(pair, "–", "–", NOT_YET, "–")]
    return "\n".join(lines)


def _rows(pair: Pair, record: ProfileRecord | None) -> list[str]:
    if record is None or record.sizes != pair.workload:  # smoke sizes are no result of a chapter
        return []
    wanted = {metric for chip in chips() for metric in metrics_of(pair.counters, chip)}
    return [
        _row(pair, one.variant, *_heaviest(one, wanted), record.started[:10])
        for one in record.captures
        if one.status == "ok" and one.portions
    ]


def _heaviest(capture: Capture, wanted: set[str]) -> tuple[str, str]:
    kernel = capture.portions[0]  # the largest comes first
    counted = [f"{name} {value:.4g}" for name, value in kernel.counters.items() if name in wanted]
    return kernel.name, "; ".join(counted) or "none of them was collected"


def _kept(pair: Pair, existing: str) -> list[str]:
    start = f"| {escaped(pair.name)} |"
    return [line for line in existing.splitlines() if line.startswith(start) and NOT_YET not in line]


def _row(pair: Pair, side: str, kernel: str, counted: str, date: str) -> str:
    cells = (pair.name, ", ".join(pair.counters), side, kernel, counted, date)
    return f"| {' | '.join(map(escaped, cells))} |"
