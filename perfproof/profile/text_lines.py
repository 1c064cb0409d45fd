"""The lines of a text that may be packed, one at a time and within limits: a small packed file can hold any amount."""

from collections.abc import Iterator
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.profile.opening import LARGEST_TEXT, opened

LONGEST_LINE = 4 * 2**20  # bytes: a thousand frames of long C++ names


def lines_of(path: Path, largest: int = LARGEST_TEXT, longest: int = LONGEST_LINE) -> Iterator[str]:
    """Lines without their end. DocumentError where one is longer than `longest` bytes, or all than `largest`."""
    read, number = 0, 0
    with opened(path) as file:
        while line := file.readline(longest + 1):
            read, number = read + len(line), number + 1
            if len(line) > longest:
                raise DocumentError(f"{path}, line {number}: longer than {_size(longest)}: not a text that can be read")
            if read > largest:
                raise DocumentError(f"{path}: larger than {_size(largest)}; record for a shorter time, or less often")
            yield line.decode("utf-8", errors="replace").rstrip("\r\n")


def _size(count: int) -> str:
    return f"{count / 2**20:g} MiB"
