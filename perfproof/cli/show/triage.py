"""How `perfproof triage` prints: a bundle, the difference of two, the table to return."""

import shlex
import textwrap
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from perfproof.cli.width import text_width

if TYPE_CHECKING:
    from perfproof.core.triage import TriageManifest
    from perfproof.triage.diff import Difference
    from perfproof.triage.opening import Bundle
    from perfproof.triage.packing import Packed
    from perfproof.triage.returned import Row

MOST_CELL = 48
MOST_REASONS, MOST_ROWS = 3, 8  # of a verdict and of a table, where not everything is asked for


def made(packed: "Packed") -> str:
    """What was collected, where it is, and what to do next."""
    manifest = packed.manifest
    lines = [f"{step.name:16} {step.status:9} {step.seconds:6.1f} s  {step.why}".rstrip() for step in manifest.steps]
    lines += [f"left out: {name}: {why}" for name, why in manifest.left_out.items()]
    lines.append("")
    lines.append(_collected(manifest))
    if not manifest.redacted:
        lines.append("NOT redacted: names, addresses and secrets may be in it; do not share it")
    lines += [f"bundle: {packed.archive}", f"report: {packed.folder / 'report.html'}"]
    return "\n".join([*lines, f"next: perfproof triage show {packed.archive}", _then(packed)])


def _then(packed: "Packed") -> str:
    if not packed.manifest.command:
        return "next: perfproof triage -- your-command times and profiles it"
    timing = (step for step in packed.manifest.steps if step.name == "timing")
    if any(one.status == "failed" for step in timing for one in step.commands):
        return f"next: repair the command first: {shlex.join(packed.manifest.command)}"
    return f"next: change one thing, run it again, then perfproof triage ab {packed.archive} OTHER.tgz"


def shown(bundle: "Bundle", full: bool = False) -> str:
    """The verdicts and what to do next; then the facts, which fit a terminal unless all of them are asked for."""
    from perfproof.triage.story import headline, tables
    from perfproof.triage.verdicts import next_steps, verdicts

    lines = [bundle.manifest.name, *headline(bundle), ""]
    for one in verdicts(bundle):
        lines += _wrapped(f"{one.word.upper()}: {one.claim}", "", "  ")
        because = one.because if full else one.because[:MOST_REASONS]
        lines += [part for reason in because for part in _wrapped(reason, "  - ", "    ")]
        lines += [f"  - {len(one.because) - len(because)} more: --full"] if len(because) < len(one.because) else []
    lines += ["", "next:"]
    for at, step in enumerate(next_steps(bundle), 1):
        lines += _wrapped(f"{step.do}   ({step.why})", f"  {at}. ", "     ")
    for table in tables(bundle):
        if full or not table.aside:
            lines += ["", table.title, *grid([table.head, *(table.rows if full else table.rows[:MOST_ROWS])])]
            lines += [f"  {table.note}"] if table.note else []
    return "\n".join([*lines, "", _collected(bundle.manifest) + ("" if full else "; --full shows everything")])


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        _clean(text), text_width(), initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )


def _collected(manifest: "TriageManifest") -> str:
    counts: dict[str, int] = {}
    for step in manifest.steps:
        counts[step.status] = counts.get(step.status, 0) + 1
    return f"{len(manifest.steps)} steps: " + ", ".join(f"{count} {status}" for status, count in counts.items())


def differences(found: Sequence["Difference"], a: str, b: str) -> str:
    if not found:
        return f"{a} and {b}: nothing that was recorded differs"
    lines = [f"a: {a}", f"b: {b}"]
    for weight, group in groupby(found, key=lambda one: one.weight):
        lines += ["", weight, *grid([("what", "a", "b"), *((one.what, one.a, one.b) for one in group)])]
    return "\n".join(lines)


def returned(rows: Sequence["Row"], ratio: str) -> str:
    cells = [(row.what, _value(row.a, row.unit), _value(row.b, row.unit), _interval(row), row.note) for row in rows]
    return "\n".join(grid([("what", "a", "b", ratio, ""), *cells]))


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as they need to be; a long cell is wrapped, the last one to the end of the line."""
    columns = list(zip(*rows, strict=True))
    widths = [min(MOST_CELL, max(len(_clean(cell)) for cell in column)) for column in columns]
    widths[-1] = max(24, text_width() - sum(widths[:-1]) - 2 * len(widths))
    lines = []
    for row in rows:
        parts = [
            textwrap.wrap(_clean(cell), width, break_on_hyphens=False) or [""]
            for cell, width in zip(row, widths, strict=True)
        ]
        for at in range(max(map(len, parts))):
            cells = [part[at] if at < len(part) else "" for part in parts]
            lines.append(("  " + "  ".join(f"{c:{w}}" for c, w in zip(cells, widths, strict=True))).rstrip())
    return lines


def _clean(text: str) -> str:
    """Bundles come from elsewhere: nothing of one may steer a terminal."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def _value(value: float | None, unit: str) -> str:
    from perfproof.core import units

    if value is None:
        return "–"
    if unit == "s":
        return units.seconds(value)
    if unit == "B":
        return units.binary_bytes(value)
    if unit == "B/s":
        return f"{value / 1e9:.3g} GB/s"
    return f"{value:.4g} {unit}".rstrip()


def _interval(row: "Row") -> str:
    if row.ratio is None:
        return "–"
    if row.low is None or row.high is None:
        return f"{row.ratio:.3f}"
    return f"{row.ratio:.3f} [{row.low:.3f}, {row.high:.3f}]"
