"""List the pairs, and say which of them can run here."""

import functools
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Any

from perfproof.cli import values
from perfproof.cli.values import argument, option
from perfproof.cli.width import text_width
from perfproof.report.text import hung, wrapped

PLACE = "Measure 6"  # in perfproof --help

Row = dict[str, Any]
Section = tuple[str, list[Row]]  # a heading and what stands under it
_RUNS = {"timed": "timed", "verified": "verified only", "no": "not here", "broken": "broken"}
_COLOURS = {"timed": "32", "verified": "33", "no": "2", "broken": "31"}
_NO_MENU = "not on the menu"


def command(
    targets: Annotated[
        list[str] | None,
        argument(
            "TARGETS", "Targets to list: ch01, ch01:batched_gemm, labs/async_input_pipeline, a path. [default: all]"
        ),
    ] = None,
    keyword: values.Keyword = None,
    menu: Annotated[bool, option("--menu", "Group the pairs by goal (training, inference, both) and symptom.")] = False,
    json: Annotated[bool, option("--json", "Print the list as JSON, and nothing else.")] = False,
    device: values.Device = None,
) -> int:
    rows = _read_rows(targets or [], keyword, device)
    sections = _menu(rows) if menu else _chapters(rows)
    if json:
        _print_json(rows, sections if menu else None)
    else:
        print("\n".join(_lines(sections, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))))
    if menu and not json and not targets and not keyword:
        print("\n".join(_own_lines()))
    return 2 if any(row["runs"] == "broken" for row in rows) else 0


def _own_lines() -> Iterator[str]:
    """What the menu has besides pairs: comparisons on a program of one's own."""
    from perfproof.triage.intake.proposals import MENU

    yield "\non your own program: perfproof ab --a 'YOUR COMMAND' with"
    for goal, symptom, name, how in MENU:
        yield f"  {name:<18} {goal}: {symptom}\n    {how}"


def _read_rows(targets: list[str], keyword: str | None, device: str | None) -> list[Row]:
    from perfproof.machine.facts import read_facts
    from perfproof.pairs.availability import availability
    from perfproof.pairs.pair import Broken
    from perfproof.pairs.targets import select

    facts = read_facts(device)
    facts = replace(facts, has_package=functools.cache(facts.has_package))  # most pairs ask for the same few
    rows = []
    for pair in select(targets, keyword, listed=True):
        row: Row = {"target": pair.name, "chapter": pair.chapter, "path": str(pair.path)}
        if isinstance(pair, Broken):
            rows.append(row | {"runs": "broken", "reason": pair.error, "lesson": ""})
            continue
        here = availability(pair, facts)
        runs = "timed" if here.timed else "verified" if here.verified else "no"
        row |= {"lesson": pair.lesson, "explanation": pair.explanation, "needs": pair.needs, "tier": pair.tier}
        row |= {"menu": list(pair.menu)}
        rows.append(row | {"claim": pair.claim, "runs": runs, "reason": here.reason})
    return rows


def _chapters(rows: list[Row]) -> list[Section]:
    return [(chapter, list(group)) for chapter, group in groupby(rows, key=lambda row: row["chapter"])]


def _menu(rows: list[Row]) -> list[Section]:
    """What to try, by what is wanted and by what is seen; what declares no place comes last."""
    places: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        places.setdefault(tuple(row.get("menu", ())), []).append(row)
    return [(": ".join(place) or _NO_MENU, places[place]) for place in sorted(places, key=_menu_order)]


def _menu_order(place: tuple[str, ...]) -> tuple[bool, int, tuple[str, ...]]:
    from perfproof.pairs.declarations import GOALS

    return not place, GOALS.index(place[0]) if place else len(GOALS), place


def _print_json(rows: list[Row], menu: list[Section] | None) -> None:
    """The targets; or, of the menu, an object for each place on it with its targets."""
    import json

    found: list[Row] = [_json_object(row) for row in rows]
    if menu is not None:
        found = []
        for _, group in menu:
            goal, symptom = group[0].get("menu") or ("", "")
            found.append({"goal": goal, "symptom": symptom, "targets": [_json_object(row) for row in group]})
    print(json.dumps(found, indent=2))


def _json_object(row: Row) -> Row:
    """One shape for all: a broken file does not run, and says why in `error`."""
    empty = {"explanation": "", "needs": {}, "tier": "", "menu": [], "claim": "", "error": ""}
    return empty | row | ({"runs": "no", "error": row["reason"]} if row["runs"] == "broken" else {})


def _lines(sections: list[Section], colour: bool) -> Iterator[str]:
    rows = [row for _, group in sections for row in group]
    width = text_width()
    names = min(max(len(row["target"]) for row in rows), 40)
    for heading, group in sections:
        yield from wrapped(heading, width)
        for row in group:
            yield from _row(row, names, width, colour)
        yield ""
    yield _summary(rows)


def _row(row: Row, names: int, width: int, colour: bool) -> Iterator[str]:
    """The target, whether it runs here and the lesson; below the target if they do not fit beside it."""
    said = " ".join(part for part in (row["lesson"], f"({row['reason']})" if row["reason"] else "") if part)
    fits = len(row["target"]) <= names <= width - 50
    if not fits:
        yield from wrapped(row["target"], width, indent="  ")
    start = f"  {row['target'] if fits else '':{names}}  " if names <= width - 50 else "    "
    word = _RUNS[row["runs"]]
    first, *rest = hung(f"{start}{word:{13 if fits else 0}}", said, width)
    shown = f"\x1b[{_COLOURS[row['runs']]}m{word}\x1b[0m" if colour else word
    yield first.replace(f"{start}{word}", f"{start}{shown}", 1)
    yield from rest


def _summary(rows: list[Row]) -> str:
    counts = [(_RUNS[runs], sum(row["runs"] == runs for row in rows)) for runs in _RUNS]
    total = f"{len(rows)} target{'s' if len(rows) != 1 else ''}"
    return f"{total}: " + ", ".join(f"{count} {word}" for word, count in counts if count)
