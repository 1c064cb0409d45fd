"""requests.jsonl: a first line about the test, then a record per request, appended as they end.

It is flushed every second, so a test that is killed leaves what was measured until then. It is locked while the test
runs. The system releases the lock however the process ends, so a reader knows whether a test runs or was killed.
"""

import fcntl
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from perfproof import __version__
from perfproof.core.errors import DocumentError
from perfproof.load.record import Record, from_line, to_line

FLUSHED = 1.0  # s


class RecordFile:
    def __init__(self, path: Path, about: dict[str, Any]):
        self.path = path
        self.file: IO[str] = path.open("w", encoding="utf-8")
        with suppress(OSError):  # a file system without locks
            fcntl.flock(self.file, fcntl.LOCK_EX)
        self.file.write(json.dumps({"perfproof": __version__, **about}, ensure_ascii=False) + "\n")
        self.file.flush()
        self.flushed = time.monotonic()

    def add(self, record: Record) -> None:
        self.file.write(to_line(record))
        now = time.monotonic()
        if now - self.flushed > FLUSHED:
            self.file.flush()
            self.flushed = now

    def close(self) -> None:
        self.file.close()


def read_records(path: Path) -> tuple[dict[str, Any], list[Record], list[str]]:
    """What the test was, its records, and what could not be read. A last line that was cut off is no error."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        about = json.loads(lines[0])
    except (IndexError, ValueError):
        about = None
    if not isinstance(about, dict) or "perfproof" not in about:
        raise DocumentError(f"{path}: no records of a load test: the first line says nothing about it")
    records, wrong = [], []
    for number, line in enumerate(lines[1:], 2):
        try:
            records.append(from_line(line))
        except (ValueError, TypeError):
            wrong.append(f"line {number} is no record" + (": cut off" if number == len(lines) else ""))
    return about, records, wrong
