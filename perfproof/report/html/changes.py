"""What has changed between two revisions, as the run's folder keeps it: git's own diff, marked line by line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perfproof.history.finding import CHANGES
from perfproof.report.html.source import DiffLine

MOST_LINES = 400
FILE, HUNK = "diff --git ", "@@ "


@dataclass(frozen=True)
class Changes:
    files: int
    added: int
    removed: int
    lines: tuple[DiffLine, ...]
    left_out: int  # lines


def changes(folder: Path | None) -> Changes | None:
    """None if two revisions were not compared, or are the same."""
    try:
        text = (folder / CHANGES).read_text(errors="replace") if folder is not None else ""
    except OSError:
        return None
    lines, files = marked(text.split("\n")[:-1])
    if not lines:
        return None
    marks, shown = [line.mark for line in lines], tuple(lines[:MOST_LINES])
    return Changes(files, marks.count("+"), marks.count("-"), shown, len(lines) - len(shown))


def marked(texts: Sequence[str]) -> tuple[list[DiffLine], int]:
    """The lines, and the number of files. What names a file begins with +++ or --- too: those are before its hunks."""
    found, files, inside = [], 0, False
    for text in texts:
        if text.startswith(FILE):
            files, inside = files + 1, False
        inside = inside or text.startswith(HUNK)
        mark = text[:1] if inside and text.startswith(("+", "-")) else " "
        found.append(DiffLine(mark, text[1:] if inside and text[:1] in ("+", "-", " ") else text))
    return found, files
