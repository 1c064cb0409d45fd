"""What two programs print, as a diff, if it differs: read from the outputs that the run's folder keeps."""

from difflib import unified_diff
from pathlib import Path

from perfproof.core.documents import TargetResult
from perfproof.report.html.source import DiffLine
from perfproof.report.sentences import prints

MOST_READ = 64_000  # characters of an output
MOST_LINES = 40
CONTEXT = 2  # equal lines around a difference
HEAD = 2  # lines of a diff that name the files


def printed_diff(target: TargetResult, folder: Path | None) -> tuple[DiffLine, ...]:
    """The first lines in which the outputs differ; empty if they do not, or if they are not here."""
    if folder is None or not prints(target).startswith("but"):
        return ()
    kept = folder / str(target.program.get("kept_in", "outputs"))
    a, b = (_lines(kept / f"{side}.stdout", folder) for side in "ab")
    found = [line for line in list(unified_diff(a, b, n=CONTEXT, lineterm=""))[HEAD:] if not line.startswith("@@")]
    more = [DiffLine(" ", f"… {len(found) - MOST_LINES} more lines")] if len(found) > MOST_LINES else []
    return (*(DiffLine(line[:1], line[1:]) for line in found[:MOST_LINES]), *more)


def _lines(file: Path, folder: Path) -> list[str]:
    """None of a file outside of the run's folder: a document from elsewhere may name any."""
    if not file.resolve().is_relative_to(folder.resolve()):
        return []
    try:
        with file.open(errors="replace") as text:
            return text.read(MOST_READ).splitlines()
    except OSError:
        return []
