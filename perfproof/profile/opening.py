"""Open a profile that may be packed with gzip, and say in one line why it cannot be read."""

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from perfproof.core.errors import DocumentError

GZIP = b"\x1f\x8b"
LARGEST_TEXT = 512 * 2**20  # of formats that are read whole: they are summaries, small by nature


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file's content, unpacked as it is read."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == GZIP
            file.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield unpacked  # type: ignore[misc]  # it is one in all but name
            else:
                yield file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DocumentError(f"{path}: the gzip file is damaged or cut off: {error}") from None
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_bytes(path: Path, limit: int = LARGEST_TEXT) -> bytes:
    with opened(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise DocumentError(f"{path}: larger than {limit >> 20} MiB, more than a file of this format can be")
    return content


def read_text(path: Path) -> str:
    return read_bytes(path).decode("utf-8-sig", errors="replace")


def read_json(path: Path) -> Any:
    try:
        return json.loads(read_text(path), strict=False)
    except RecursionError:
        raise DocumentError(f"{path}: is nested too deeply to be a profile") from None
    except ValueError as error:
        raise DocumentError(f"{path}: is not valid JSON: {error}; it may be cut off") from None
