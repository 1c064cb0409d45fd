"""What `perfproof history` prints: runs, results, changes and answers, as plain columns, JSON or CSV."""

import csv
import json
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from perfproof.core import units
from perfproof.report.text import beside, fitting, widths_of

WIDEST, NARROWEST = 60, 12  # characters of a column
LONG, ROOMY = "target", 24  # the column that is cut, and what it should have before others are left out for it


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=1, ensure_ascii=False, default=str))


def print_columns(head: Sequence[str], rows: Sequence[Sequence[Any]], spare: Sequence[str] = ()) -> None:
    """Columns as wide as they need; if there is no room, those in `spare` are left out one by one, long texts are cut,
    or all is told in words. `--json` has them whole."""
    whole = [list(head), *([_cell(value) for value in row] for row in rows)]
    width = shutil.get_terminal_size((0, 0)).columns
    for name in spare:
        widths = [
            min(one, ROOMY) if title == LONG else one for title, one in zip(whole[0], widths_of(whole), strict=True)
        ]
        if not width or sum(widths) + 2 * (len(widths) - 1) <= width:
            break
        at = whole[0].index(name)
        whole = [[*row[:at], *row[at + 1 :]] for row in whole]
    titles, *cells = fitted(whole, width)
    if width and len(beside(titles, widths_of([titles, *cells]))) > width:
        titles, *cells = whole  # in words there is room for all of it
    print("\n".join(line for own in fitting(titles, cells, width or sys.maxsize, name=0) for line in own))


def fitted(table: list[list[str]], width: int) -> list[list[str]]:
    """The widest columns cut until the lines fit; `width` 0 has no limit."""
    while width and (over := sum(widths_of(table)) + 2 * (len(table[0]) - 1) - width) > 0:
        widest = max(widths_of(table))
        if widest <= NARROWEST:
            break
        at = table[0].index(LONG) if LONG in table[0] else widths_of(table).index(widest)
        own = widths_of(table)[at]
        if own <= NARROWEST:
            break
        table = [[*row[:at], _cell(row[at], max(NARROWEST, own - over)), *row[at + 1 :]] for row in table]
    return table


def print_csv(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)


RUN_COLUMNS = ("id", "when (UTC)", "target", "verdict", "ratio", "interval", "machine", "commit")
SPARE_COLUMNS = ("machine", "commit", "interval")  # the first to go on a narrow terminal


def run_rows(
    found: Sequence[dict[str, Any]], results: dict[str, list[dict[str, Any]]], target: str | None = None
) -> list[list[str]]:
    """One line for each run, with what it found; of `target` alone, if one is given."""
    rows = []
    for one in found:
        seen = outcome(results[one["run"]], target)
        when = one["started"][:16].replace("T", " ")
        verdict = seen["verdict"] if one["state"] in ("finished", "imported") else f"{seen['verdict']}, {one['state']}"
        told = [seen["target"], verdict.removeprefix(", "), units.ratio(seen["ratio"]), _interval(seen)]
        rows.append([one["run"].rpartition("-")[2], when, *told, one["kind"], _commit(one)])
    return rows


def outcome(results: Sequence[dict[str, Any]], target: str | None = None) -> dict[str, Any]:
    """What a run found: verdict, ratio and interval of its only result, or how many results have which verdict."""
    chosen = [one for one in results if target in (None, one["target"])]
    targets = list(dict.fromkeys(one["target"] for one in chosen))
    verdicts = Counter(one["verdict"] or one["status"] for one in chosen)
    only = chosen[0] if len(chosen) == 1 else {}
    return {
        "target": targets[0] if len(targets) == 1 else f"{len(targets)} targets" if targets else "–",
        "verdict": ", ".join(verdicts)
        if len(chosen) == 1
        else ", ".join(f"{n} {word}" for word, n in verdicts.items()),
        "ratio": only.get("ratio"),
        "low": only.get("low"),
        "high": only.get("high"),
    }


def _interval(one: dict[str, Any]) -> str:
    low, high = (units.ratio(one[end]).removesuffix("x") for end in ("low", "high"))
    return f"{low} to {high}" if one["low"] and one["high"] else "–"


def _commit(one: dict[str, Any]) -> str:
    """As in a comparison: + where files differed from the commit."""
    return f"{one['commit_id'][:8]}{'+' if one['dirty'] else ''}" if one["commit_id"] else "–"


def result_rows(found: Sequence[dict[str, Any]]) -> list[list[str]]:
    return [
        [
            one["target"],
            one["variant"],
            one["verdict"] or one["status"],
            _ratio(one),
            _interval(one),
            units.seconds(one["baseline_seconds"]),
            units.seconds(one["variant_seconds"]),
        ]
        for one in found
    ]


def _ratio(one: dict[str, Any]) -> str:
    """With the claim, if the ratio is not of the times beside it."""
    return units.ratio(one["ratio"]) + (f" {one['claim']}" if one["ratio"] and one["claim"] != "time" else "")


def _cell(value: Any, most: int = WIDEST) -> str:
    text = "–" if value is None else " ".join(str(value).split())
    if len(text) <= most:
        return text
    begin = (most - 3) // 2  # the end often tells two apart: it stays
    return f"{text[:begin]}...{text[len(text) - (most - 3 - begin) :]}"
