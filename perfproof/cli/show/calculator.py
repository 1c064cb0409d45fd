"""A calculator's answer as people read it, and as JSON."""

from typing import Any

from perfproof.calc.answer import Answer, Table
from perfproof.calc.value_text import text
from perfproof.cli.width import text_width
from perfproof.report.text import aligned, hung, wrapped

SCHEMA_VERSION = 1


def document(calculator: str, inputs: dict[str, Any], answer: Answer) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "calculator": calculator,
        "inputs": inputs,
        "headline": answer.headline,
        "values": {one.name: {"value": one.value, "unit": one.unit, "note": one.note} for one in answer.values},
        "tables": {table.name: _records(table) for table in answer.tables},
        "lines": list(answer.lines),
        "warnings": list(answer.warnings),
    }


def _records(table: Table) -> dict[str, Any]:
    names = [name for name, _ in table.columns]
    return {
        "units": dict(table.columns),
        "rows": [dict(zip(names, row, strict=True)) for row in table.rows],
    }


def page(answer: Answer) -> str:
    """The headline, the values with their notes, the tables, lines to use, warnings."""
    lines = [*wrapped(answer.headline, text_width(), hanging="  "), "", *_values(answer)]
    for table in answer.tables:
        lines += ["", *_table(table)]
    if answer.lines:
        lines += ["", *answer.lines]
    if answer.warnings:
        lines.append("")
    for warning in answer.warnings:
        lines += wrapped(f"warning: {warning}", text_width(), hanging="  ")
    return "\n".join(lines)


def _values(answer: Answer) -> list[str]:
    shown = [(one.name.replace("_", " "), text(one.value, one.unit), one.note) for one in answer.values]
    names = max((len(name) for name, _, _ in shown), default=0)
    wide = min(max((len(value) for _, value, _ in shown), default=0), 28)
    width = text_width()
    return [line for name, value, note in shown for line in hung(f"{name:<{names}}  {value:<{wide}}", note, width)]


def _table(table: Table) -> list[str]:
    rows = [[name for name, _ in table.columns]]
    rows += [[text(cell, unit) for cell, (_, unit) in zip(row, table.columns, strict=True)] for row in table.rows]
    places = range(len(table.columns))
    figures = [place for place in places if not any(isinstance(row[place], str) for row in table.rows)]
    return [f"{table.name}:", *(f"  {line}" for line in aligned(rows, right=figures))]
