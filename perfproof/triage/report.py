"""The bundle's report as Markdown: verdicts, what to do next, then the facts and how they were collected."""

from perfproof.triage.opening import Bundle
from perfproof.triage.story import Table, headline, tables
from perfproof.triage.verdicts import next_steps, verdicts


def markdown(bundle: Bundle) -> str:
    lines = [f"# {bundle.manifest.name}", "", *(f"- {_cell(line)}" for line in headline(bundle))]
    lines += ["", "## Verdicts", ""]
    for one in verdicts(bundle):
        lines += [f"- **{_cell(one.word)}**: {_cell(one.claim)}", *(f"  - {_cell(line)}" for line in one.because)]
    lines += ["", "## What to do next", ""]
    lines += [f"{at}. {_cell(one.do)} ({_cell(one.why)})" for at, one in enumerate(next_steps(bundle), 1)]
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
