"""Small text files of the kernel under /proc and /sys. What is not there, or may not be read, is None: never 0."""

from pathlib import Path

ROOT = Path("/")  # tests put a folder of their own here


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


def parse_cpu_list(text: str | None) -> set[int]:
    """The kernel's lists of numbers: "0-3,8" is {0, 1, 2, 3, 8}."""
    numbers: set[int] = set()
    for part in (text or "").split(","):
        first, _, last = part.strip().partition("-")
        if first.isdigit():
            numbers.update(range(int(first), int(last or first) + 1))
    return numbers
