"""The table of the front page: of each chapter one pair, what it does, and its results from the chapter's own page."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from perfproof.pairs.pair import Pair
from perfproof.report.chapters import OLDER, Line, parse_table
from perfproof.report.formats.md import escaped

TITLES = ("what was done", "result", "before", "after", "machine", "pair")


def front_table(pairs: Sequence[Pair], tables: Iterable[str], root: Path) -> str:
    """The rows of these pairs in the tables of all chapters, with the columns that a reader needs."""
    every = [line for table in tables for group in parse_table(table) for line in group]
    rows = [f"| {' | '.join(TITLES)} |", "|---|---|---:|---:|---|---|"]
    for pair in pairs:
        own = [line for line in every if line.key[0] == escaped(pair.name) and not line.verdict.endswith(OLDER)]
        rows += [_row(pair, line, root, first=line is own[0]) for line in own]
    return "\n".join(rows)


def _row(pair: Pair, line: Line, root: Path, first: bool) -> str:
    """What was done is said once per pair. Words in brackets behind a verdict are for the chapter's page."""
    lesson = pair.lesson.replace("|", r"\|") if first else ""
    variant = line.target.partition(" ")[2]
    link = f"[{line.key[0]}]({pair.path.relative_to(root).as_posix()}){f' {variant}' if variant else ''}"
    result = f"{line.verdict.partition(' (')[0]} {line.measured}"
    return f"| {' | '.join((lesson, result, line.baseline, line.variant, line.machine, link))} |"
