"""What a program can do with the baseline's result and not with a variant's, although the values are equal.

A program may write into a result, change one part of it, give its numbers to `json`, use it after a file is gone, or
need all of its digits. A variant that does not allow it is lawful if no program does that, but its gain comes from it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy

from perfproof.core.trees import buffers, is_array, is_tensor, leaves, special
from perfproof.worker.verify.case import Contract, attempt
from perfproof.worker.verify.numbers import dtype_name, is_dense, is_of_float32
from perfproof.worker.verify.outputs import mutable_containers

MAPS = Path("/proc/self/maps")
LEAST_VALUES, MOST_VALUES = 8, 256  # of an array that are looked at
ROUNDED = "returns numbers that were rounded to float32, and the baseline's were not"
NO_FILES = ("/dev/", "/memfd:", "/anon_hugepage", "/SYSV")  # memory that is shared, not read from a file


def check(contract: Contract, sides: Mapping[str, Callable[..., Any]], drawn: tuple) -> list[str]:
    """Lines about variants whose results have a limit that the baseline's have not; it is the first of the sides."""
    usual, *variants = [(name, attempt(call, *contract.copied(drawn))) for name, call in sides.items()]
    found = []
    for what, is_so in LIMITS.items():
        if what == ROUNDED and contract.lowers_precision:
            continue
        new = [name for name, result in variants if not isinstance(result, Exception) and is_so(result)]
        if new and not isinstance(usual[1], Exception) and not is_so(usual[1]):
            found += [f"{name} {what}" for name in new]
    return found


def _is_read_only(result: Any) -> bool:
    return any(is_array(leaf) and leaf.size and not leaf.flags.writeable for leaf in buffers(result))


def _is_in_a_file(result: Any) -> bool:
    """Do numbers lie in pages of a file? They are read when they are used first."""
    addresses = [leaf.data_ptr() if is_tensor(leaf) else leaf.ctypes.data for leaf in buffers(result) if _size(leaf)]
    return bool(addresses) and any(first <= one < last for first, last in _mapped_files() for one in addresses)


def _mapped_files() -> Iterator[tuple[int, int]]:
    for line in MAPS.read_text().splitlines() if MAPS.exists() else ():
        extent, *_, path = line.split(maxsplit=5)
        if path.startswith("/") and not path.startswith(NO_FILES):
            first, last = (int(number, 16) for number in extent.split("-"))
            yield first, last


def _size(leaf: Any) -> int:
    return leaf.numel() if is_tensor(leaf) else leaf.size if is_array(leaf) else 0


def _has_a_part_twice(result: Any) -> bool:
    """One list, or the same memory, in two places. Views of different parts of one memory are two things."""
    places: list[Any] = [id(one) for one in mutable_containers(result)]
    for _, leaf in special(result):
        if is_dense(leaf) and _size(leaf):
            start, strides = (leaf.data_ptr(), leaf.stride()) if is_tensor(leaf) else (leaf.ctypes.data, leaf.strides)
            places.append((start, tuple(leaf.shape), tuple(strides)))
    return max(Counter(places).values(), default=0) > 1


def _has_numbers_of_numpy(result: Any) -> bool:
    """A float64 is a float of Python; an int64 is no int."""
    return any(isinstance(leaf, (numpy.integer, numpy.bool_)) for _, leaf in leaves(result))


def _has_rounded_numbers(result: Any) -> bool:
    """Is a number of Python, or are all of an array of doubles, of float32? Few bits say nothing: a quarter has two."""
    return any(_is_rounded(leaf) for _, leaf in leaves(result))


def _is_rounded(leaf: Any) -> bool:
    if type(leaf) is float:
        return is_of_float32(leaf)
    if not is_dense(leaf) or dtype_name(leaf) != "float64" or _size(leaf) < LEAST_VALUES:
        return False
    some = [value for value in leaf.reshape(-1)[:MOST_VALUES].tolist() if value]
    return sum(map(is_of_float32, some)) > len(some) / 2 and all(numpy.float32(value) == value for value in some)


LIMITS: dict[str, Callable[[Any], bool]] = {
    "returns memory that cannot be written, and the baseline's can": _is_read_only,
    "returns memory that is mapped from a file: it is read when it is used, which no time contains": _is_in_a_file,
    "returns one list, dict or array in several places: a change of one changes the others": _has_a_part_twice,
    "returns whole numbers or truth values of NumPy, and the baseline Python's: `json` refuses them": (
        _has_numbers_of_numpy
    ),
    ROUNDED: _has_rounded_numbers,
}
