"""Change a file that other processes may be changing too: one reads, changes and replaces it, the others wait."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock beside `path`; it ends with its process, and leaves no file behind that git would pick up."""
    lock = path.with_name(f"{path.name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with open(lock, "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not _is_still(file, lock):
                continue
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)  # while it is held: whoever waits for this file asks for the next one
            return


def _is_still(file: TextIO, lock: Path) -> bool:
    """Its last holder may have removed the file that was waited for, and somebody may hold another one by now."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), lock.stat())
    except FileNotFoundError:
        return False
