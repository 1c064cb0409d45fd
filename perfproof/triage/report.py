"""The bundle's report as Markdown: what to look at first, bottlenecks, runs, the machine, and how all was collected."""

from perfproof.triage.opening import Bundle
from perfproof.triage.story import Table, headline, tables


def markdown(bundle: Bundle) -> str:
    lines = [f"# {bundle.manifest.name}", "", *(f"- {_cell(line)}" for line in headline(bundle))]
    for table in tables(bundle):
        lines += ["", f"## {table.title}", "", *_rows(table)]
        lines += ["", table.note] if table.note else []
    return "\n".join(lines) + "\n"


def _rows(table: Table) -> list[str]:
    rule = "|".join("---" for _ in table.head)
    rows = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in table.rows]
    return [f"| {' | '.join(table.head)} |", f"|{rule}|", *rows]


def _cell(text: str) -> str:
    """One line that cannot leave its cell, nor become a tag or a link."""
    shown = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
    return shown.replace("<", "&lt;").replace("[", "\\[")
