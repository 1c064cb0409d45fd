"""Show every target with its lesson, what it needs, and whether it can run here."""

import functools
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Any

import typer

from perfproof.cli import values

Row = dict[str, Any]
WIDTH = 100  # of what is printed into a file or a pipe
_RUNS = {"timed": "timed", "verified": "verified only", "no": "no", "broken": "broken"}


def command(
    targets: Annotated[
        list[str] | None, typer.Argument(metavar="TARGETS", help="ch01, ch01:batched_gemm, labs/moe, a path.")
    ] = None,
    keyword: Annotated[str | None, typer.Option("-k", "--keyword", metavar="WORD", help="In name or lesson.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a list of objects, and nothing else.")] = False,
    device: values.Device = None,
) -> int:
    rows = _read_rows(targets or [], keyword, device)
    if json:
        _print_json(rows)
    elif sys.stdout.isatty():
        _print_table(rows)
    else:
        print("\n".join(_plain_lines(rows)))
    return 2 if any(row["runs"] == "broken" for row in rows) else 0


def _read_rows(targets: list[str], keyword: str | None, device: str | None) -> list[Row]:
    from perfproof.machine.facts import read_facts
    from perfproof.pairs.availability import availability
    from perfproof.pairs.pair import Broken
    from perfproof.pairs.targets import select

    facts = read_facts(device)
    facts = replace(facts, has_package=functools.cache(facts.has_package))  # most pairs ask for the same few
    rows = []
    for pair in select(targets, keyword):
        row: Row = {"target": pair.name, "chapter": pair.chapter, "path": str(pair.path)}
        if isinstance(pair, Broken):
            rows.append(row | {"runs": "broken", "reason": pair.error, "lesson": ""})
            continue
        here = availability(pair, facts)
        runs = "timed" if here.timed else "verified" if here.verified else "no"
        row |= {"lesson": pair.lesson, "explanation": pair.explanation, "needs": pair.needs, "tier": pair.tier}
        rows.append(row | {"claim": pair.claim, "runs": runs, "reason": here.reason})
    return rows


def _print_json(rows: list[Row]) -> None:
    """One shape for all: a broken file does not run, and says why in `error`."""
    import json

    empty = {"explanation": "", "needs": {}, "tier": "", "claim": "", "error": ""}
    objects = [
        empty | row | ({"runs": "no", "error": row["reason"]} if row["runs"] == "broken" else {}) for row in rows
    ]
    print(json.dumps(objects, indent=2))


def _plain_lines(rows: list[Row]) -> Iterator[str]:
    names = min(max(len(row["target"]) for row in rows), 40)
    for chapter, group in groupby(rows, key=lambda row: row["chapter"]):
        yield from textwrap.wrap(chapter, WIDTH)
        for row in group:
            yield from _plain_row(row, names)
        yield ""
    yield _summary(rows)


def _plain_row(row: Row, names: int) -> Iterator[str]:
    margin = " " * (names + 18)
    head = f"  {row['target']:{names}}  {_RUNS[row['runs']]:13} "
    if len(row["target"]) > names:
        yield from textwrap.wrap(row["target"], WIDTH, initial_indent="  ", subsequent_indent="  ")
        head = f"  {'':{names}}  {_RUNS[row['runs']]:13} "
    said = [f"({row['reason']})"] if row["reason"] else []
    said = [row["lesson"], *said] if row["lesson"] else said
    for number, text in enumerate(said):
        start = head if number == 0 else margin
        yield from textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=margin)


def _print_table(rows: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("target", "runs here", "lesson"):
        table.add_column(column, overflow="fold", no_wrap=column == "runs here")
    colours = {"timed": "green", "verified": "yellow", "no": "dim", "broken": "red"}
    for _, group in groupby(rows, key=lambda row: row["chapter"]):
        for row in group:
            lesson = Text(row["lesson"])
            if row["reason"]:
                lesson.append(("\n" if row["lesson"] else "") + row["reason"], style=colours[row["runs"]])
            table.add_row(Text(row["target"]), Text(_RUNS[row["runs"]], style=colours[row["runs"]]), lesson)
        table.add_section()
    console = Console()
    console.print(table)
    console.print(_summary(rows), markup=False, highlight=False)


def _summary(rows: list[Row]) -> str:
    counts = [(_RUNS[runs], sum(row["runs"] == runs for row in rows)) for runs in _RUNS]
    total = f"{len(rows)} target{'s' if len(rows) != 1 else ''}"
    return f"{total}: " + ", ".join(f"{count} {word}" for word, count in counts if count)
