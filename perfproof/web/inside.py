"""Open files below one folder and nowhere else: no way up, no absolute path, and no link, at any step of the way.

Each step is opened relative to the one before it, so nothing can be exchanged between a check and its use.
"""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from perfproof.core.errors import NothingMatched

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # non-blocking: a pipe would wait for its writer


def open_inside(root: Path, steps: Sequence[str]) -> BinaryIO:
    """A regular file; anything else is "not there", whatever it is."""
    if not steps or any(not _is_name(step) for step in steps):
        raise NothingMatched("no such file in the artifacts folder")
    place = -1
    try:
        place = os.open(root, FOLDER)
        for step in steps[:-1]:
            inner = os.open(step, FOLDER | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = inner
        file = os.open(steps[-1], FILE, dir_fd=place)
    except (OSError, ValueError):
        raise NothingMatched("no such file in the artifacts folder") from None
    finally:
        if place >= 0:
            os.close(place)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NothingMatched("no such file in the artifacts folder")
    return os.fdopen(file, "rb")


def _is_name(step: str) -> bool:
    return step not in ("", ".", "..") and not {"/", "\\", "\0"} & set(step)
