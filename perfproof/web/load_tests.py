"""Load tests of the artifacts folder: which there are, and whether one runs, has its result, or ended without it.

The process of a test holds a lock on its requests.jsonl, which the system releases however the process ends.
"""

import fcntl
import os
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from perfproof.app.load.records import RECORDS, RESULT
from perfproof.core.errors import DocumentError, NothingMatched
from perfproof.core.load import LoadResult
from perfproof.history.folders import NAME
from perfproof.web.inside import open_inside
from perfproof.web.saved import KEPT, LARGEST

SLUGS = ("load", "load-against", "load-import")
WATCHED = 20  # newest tests that may be running
CLOSING = 30.0  # s between the last record of a test and its result

State = Literal["running", "finished", "partial"]


@dataclass(frozen=True)
class LoadTest:
    name: str
    state: State

    @property
    def started(self) -> str:
        """When, as ISO 8601: the name of its folder begins with it."""
        utc = self.name[:16]
        return f"{utc[:4]}-{utc[4:6]}-{utc[6:8]}T{utc[9:11]}:{utc[11:13]}:{utc[13:15]}Z"


def load_names(artifacts: Path) -> list[str]:
    """Folders with the name of a load test, newest first."""
    try:
        with os.scandir(artifacts) as found:
            names = [one.name for one in found if not one.is_symlink()]
    except OSError:
        return []
    ours = [name for name in names if (match := NAME.fullmatch(name)) and match["slug"] in SLUGS]
    return sorted(ours, reverse=True)


def load_tests(artifacts: Path, names: list[str]) -> list[LoadTest]:
    """Those of the names that hold records or a result."""
    found = []
    for name in names:
        try:
            found.append(find_load_test(artifacts, name))
        except NothingMatched:
            continue
    return found


def running_loads(artifacts: Path) -> list[str]:
    return [one.name for one in load_tests(artifacts, load_names(artifacts)[:WATCHED]) if one.state == "running"]


def find_load_test(artifacts: Path, name: str) -> LoadTest:
    match = NAME.fullmatch(name)
    if match is None or match["slug"] not in SLUGS:
        raise NothingMatched(f"{name[:100]!r} is no name of a load test")
    if has_file(artifacts, name, RESULT):
        return LoadTest(name, "finished")
    try:
        running = _is_written(artifacts, name)
    except NothingMatched:
        raise NothingMatched(f"there is no load test {name}") from None
    if has_file(artifacts, name, RESULT):  # written since the first look
        return LoadTest(name, "finished")
    return LoadTest(name, "running" if running else "partial")


def read_result(artifacts: Path, name: str) -> LoadResult:
    with open_inside(artifacts, [name, RESULT]) as file:
        seen = os.fstat(file.fileno())
    return _parsed(artifacts, name, seen.st_ino, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=KEPT)
def _parsed(artifacts: Path, name: str, *version: int) -> LoadResult:
    """`version` changes if the document is replaced."""
    with open_inside(artifacts, [name, RESULT]) as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise DocumentError(f"the result of {name} has more than {LARGEST // 2**20} MiB and is not shown")
    try:
        return LoadResult.model_validate_json(content)
    except ValueError:
        raise DocumentError(f"the result of {name} cannot be read; `perfproof load import {name}` may") from None


def has_file(artifacts: Path, name: str, file: str) -> bool:
    try:
        open_inside(artifacts, [name, file]).close()
    except NothingMatched:
        return False
    return True


def _is_written(artifacts: Path, name: str) -> bool:
    """Is the file of records locked, or so new that the result may still come?"""
    with open_inside(artifacts, [name, RECORDS]) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # a file system without locks
            pass
        return time.time() - os.fstat(file.fileno()).st_mtime < CLOSING
