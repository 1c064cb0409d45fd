"""What `perfproof history` prints: runs, results, changes and answers, as plain columns, JSON or CSV."""

import csv
import json
import sys
from collections.abc import Sequence
from typing import Any

from perfproof.core import units

WIDEST = 60


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=1, ensure_ascii=False, default=str))


def print_columns(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Columns as wide as they need; long texts are cut, `--json` has them whole."""
    table = [list(head), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[at]) for row in table) for at in range(len(head))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_csv(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)


def run_rows(found: Sequence[dict[str, Any]]) -> list[list[str]]:
    return [[one["run"], one["source"], one["state"], one["kind"], _commit(one), str(one["results"])] for one in found]


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
            f"{one['low']:.4g} to {one['high']:.4g}" if one["low"] and one["high"] else "–",
            units.seconds(one["baseline_seconds"]),
            units.seconds(one["variant_seconds"]),
        ]
        for one in found
    ]


def _ratio(one: dict[str, Any]) -> str:
    """With the claim, if the ratio is not of the times beside it."""
    return units.ratio(one["ratio"]) + (f" {one['claim']}" if one["ratio"] and one["claim"] != "time" else "")


def _cell(value: Any) -> str:
    text = "–" if value is None else " ".join(str(value).split())
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."
