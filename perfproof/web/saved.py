"""Saved runs as the dashboard reads them: by the name of their folder, from inside the artifacts folder only."""

import os
from functools import lru_cache
from pathlib import Path

from perfproof.core.documents import Run, read_run
from perfproof.core.errors import DocumentError, NothingMatched
from perfproof.history.folders import DOCUMENT, NAME
from perfproof.web.inside import open_inside

LARGEST = 64 * 2**20  # bytes of a document
KEPT = 64  # documents


def load(artifacts: Path, name: str) -> Run:
    """The document, under its folder's name: a copied folder is another run."""
    if not NAME.fullmatch(name):
        raise NothingMatched(f"{name[:100]!r} is no name of a run")
    try:
        with open_inside(artifacts, [name, DOCUMENT]) as file:
            seen = os.fstat(file.fileno())
    except NothingMatched:
        raise NothingMatched(f"there is no run {name}") from None
    return _parsed(artifacts, name, seen.st_ino, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=KEPT)
def _parsed(artifacts: Path, name: str, *version: int) -> Run:
    """`version` is what a replaced document changes: what was read before is read again then."""
    with open_inside(artifacts, [name, DOCUMENT]) as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise DocumentError(f"the document of {name} has more than {LARGEST // 2**20} MiB and is not shown")
    try:
        return read_run(content.decode()).model_copy(update={"run": name})
    except (UnicodeDecodeError, DocumentError):
        raise DocumentError(f"the document of {name} cannot be read; `perfproof report run {name}` says why") from None
