"""One convention for what a command prints: `--format NAME`, `-o FILE` with the format by its suffix, and `--json`."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from perfproof.core.errors import UsageError

SUFFIXES = {
    ".pdf": "pdf",
    ".csv": "csv",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".md": "md",
    ".txt": "table",
    ".xml": "junit",
}
PRINTED = (None, "-")  # values of -o that mean standard output

Output = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write it to a file; its suffix chooses the format."),
]


def choose_format(format: str | None, json: bool, output: str | None, known: Sequence[str]) -> str:
    """The format that was asked for: --json, --format, the suffix of -o, else the first that the command knows."""
    if json or format:
        chosen = "json" if json else str(format)
    elif output in PRINTED:
        chosen = known[0]
    else:
        suffix = Path(str(output)).suffix.lower()
        chosen = SUFFIXES.get(suffix, "")
        if chosen not in known:
            endings = ", ".join(ending for ending, name in SUFFIXES.items() if name in known)
            raise UsageError(f"-o {output}: the suffix {suffix!r} says no format; choose {endings}, or add --format")
    if chosen not in known:
        raise UsageError(f"--format {chosen!r} is unknown: choose {', '.join(known)}")
    return chosen


@contextmanager
def written_to(output: str | None) -> Iterator[None]:
    """What is printed inside goes into the file, and the file's name to standard output."""
    if output in PRINTED:
        yield
        return
    from perfproof.core.atomic import write_atomic

    text = io.StringIO()
    with redirect_stdout(text):
        yield
    try:
        write_atomic(Path(str(output)), text.getvalue())
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}; choose another file with --output") from None
    print(output)
