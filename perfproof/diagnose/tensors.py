"""The tensors of an operator, from the shapes that torch recorded."""

from collections.abc import Iterator
from math import prod
from typing import Any

from perfproof.diagnose.traces import Trace

Shape = tuple[int, ...]


def shapes_of(trace: Trace, row: int) -> list[Shape]:
    """Of its inputs that are tensors; none if shapes were not recorded."""
    dims = trace.args(row).get("Input Dims")
    found = [tuple(one) for one in dims if isinstance(one, list) and one] if isinstance(dims, list) else []
    return [shape for shape in found if all(type(size) is int and size >= 0 for size in shape)]


def largest(trace: Trace, row: int) -> int | None:
    """Elements of its largest input; None if shapes were not recorded."""
    return max(map(prod, shapes_of(trace, row)), default=None)


def shape_text(trace: Trace, row: int) -> str:
    """The shape of its first input."""
    return next((str(list(shape)) for shape in shapes_of(trace, row)), "unknown")


LONG, FEW = 512, 16  # elements of a filter of one dimension; filters: many, with a stride, cut a signal into patches
CONVOLUTIONS = {"aten::conv1d": 0, "aten::convolution": 0, "aten::convolution_backward": 1}  # where the signal is


def has_long_filter(trace: Trace, row: int) -> bool:
    """Whether it convolves over one dimension with few filters that are long, or with one per signal."""
    first = CONVOLUTIONS.get(trace.events.name(row))
    pair = [] if first is None else shapes_of(trace, row)[first : first + 2]
    if len(pair) < 2 or len(pair[0]) != 3 or len(pair[1]) != 3:
        return False
    signals, (filters, per_group, length) = pair[0][1], pair[1]
    return length >= LONG and (filters <= FEW or (per_group == 1 and filters == signals))


def nested_shapes(dims: Any) -> Iterator[Shape]:
    """All shapes in what torch recorded: of tensors, and of lists of them."""
    if not isinstance(dims, list):
        return
    if dims and all(type(size) is int for size in dims):
        yield tuple(dims)
    else:
        for one in dims:
            yield from nested_shapes(one)
