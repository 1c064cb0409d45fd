"""Check which profilers and counters work here, and fix the others.

Each row says why something does not work and which line fixes it.
"""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from perfproof.core.doctor import Doctor, Row


PLACE = "Machine 2"  # in perfproof --help
UNFIT = 3
MARKS = {"works": "✓", "limited": "~", "denied": "✗", "absent": "–", "unknown": "?"}


def command(json: Annotated[bool, typer.Option("--json", help="Print the document, and nothing else.")] = False) -> int:
    found = examine()
    print(found.model_dump_json(indent=2) if json else page(found))
    return 0 if found.fit else UNFIT


def examine() -> "Doctor":
    from datetime import UTC, datetime

    from perfproof import __version__
    from perfproof.core.doctor import Doctor
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import preflight
    from perfproof.machine.probing import measuring_works, probe_all
    from perfproof.machine.snapshot import snapshot

    seen = snapshot(read_facts().device)  # before the probes: they are a load of their own
    rows = probe_all()
    return Doctor(
        perfproof_version=__version__,
        read=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        kind=seen["kind"],
        fit=measuring_works(rows),
        rows=rows,
        warnings=preflight(seen, shared=True),
    )


def page(found: "Doctor") -> str:
    from itertools import groupby

    width = max(len(row.name) for row in found.rows)
    lines = []
    for group, rows in groupby(found.rows, key=lambda row: row.group):
        lines.append(group)
        for row in rows:
            lines += _row_lines(row, width)
    lines += ["before a run"] if found.warnings else []
    lines += [f"  {warning.code} {warning.text}" for warning in found.warnings]
    broken = [row.name for row in found.rows if row.needed and row.state not in ("works", "limited")]
    lines += ["", "measuring works here" if found.fit else f"measuring does not work here: {', '.join(broken)}"]
    return "\n".join(lines)


def _row_lines(row: "Row", width: int) -> list[str]:
    said = "; ".join(text for text in (row.version, row.why) if text)
    lines = [f"  {MARKS[row.state]} {row.name:{width}}  {row.state:8} {said}"]
    if row.fix:
        lines.append(f"    {'':{width}}  fix      {row.fix}")
    return lines
