"""Small text files of the kernel under /proc and /sys. What is not there, or may not be read, is None: never 0."""

import os
import re
from pathlib import Path

ROOT = Path("/")  # tests put a folder of their own here
MOST_CPUS = 1 << 16  # a list that names more is damaged
STRANGE = "in a form that is not known"  # the end of every "unknown" about a file that is there and makes no sense


def read_text(path: str) -> str | None:
    try:
        return (ROOT / path.lstrip("/")).read_text(errors="replace").strip()
    except OSError:
        return None


def read_int(path: str) -> int | None:
    text = read_text(path)
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def names(folder: str, pattern: str) -> list[str]:
    """Names in a folder that match a glob, sorted; none if the folder cannot be read."""
    try:
        return sorted(path.name for path in (ROOT / folder.lstrip("/")).glob(pattern))
    except OSError:
        return []


def link_name(path: str) -> str | None:
    """The last part of what a link points to: the driver of a device, say."""
    try:
        return Path(os.readlink(ROOT / path.lstrip("/"))).name
    except OSError:
        return None


def strange(path: str) -> str:
    """What is stored for a file that is there, in a form this version does not know."""
    return f"unknown: {path} is {STRANGE}"


def parse_cpu_list(text: str | None) -> set[int]:
    """The kernel's lists of numbers: "0-3,8" is {0, 1, 2, 3, 8}. A part that is none is left out."""
    numbers: set[int] = set()
    for part in (text or "").split(","):
        match = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", part.strip())
        if match:
            first, last = int(match[1]), int(match[2] or match[1])
            numbers.update(range(first, min(last, MOST_CPUS) + 1))
    return numbers
