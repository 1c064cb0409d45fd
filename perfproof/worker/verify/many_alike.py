"""Many tensors of one shape, looked at together: a question to a device takes longer than the numbers in it.

A step of an optimizer over 64 tensors has 192 results. Asked one by one, each is half a dozen kernels and as many waits
for their answers; stacked, all of a shape are as many kernels, and one wait.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import torch

from perfproof.core.trees import is_tensor
from perfproof.worker.verify.numbers import is_dense

MANY = 4  # of one kind: fewer are as fast one by one
SMALL, SMALL_ON_DEVICE = 1 << 16, 1 << 21  # elements of one: larger ones take longer to copy than to ask for
STACKED, STACKED_ON_DEVICE = 1 << 20, 1 << 23  # elements of one stack: 8 and 64 MiB in double precision, some times


def alike(values: Sequence[Any], kind: Callable[[Any], Hashable], least: int = MANY) -> Iterator[list[int]]:
    """Places of values of one kind, as many as make one stack; those of no kind (None) are left out."""
    found: dict[Hashable, list[int]] = {}
    for at, value in enumerate(values):
        if (key := kind(value)) is not None:
            found.setdefault(key, []).append(at)
    for places in found.values():
        size, on_cpu = _size_of(values[places[0]])
        most = max(least, (STACKED if on_cpu else STACKED_ON_DEVICE) // max(1, size))
        parts = (places[begin : begin + most] for begin in range(0, len(places), most))
        yield from (part for part in parts if len(part) >= least)


def kinds_of(tensors: tuple[Any, ...] | None) -> Hashable:
    """What some tensors must have in common with others that each can be stacked; None if one cannot."""
    if not tensors or not all(is_tensor(one) and is_dense(one) and one.numel() for one in tensors):
        return None
    return tuple((tuple(one.shape), one.dtype, one.device) for one in tensors)


def small_floats_of(tensors: tuple[Any, ...] | None) -> Hashable:
    """The same of small tensors of real numbers: of large ones a copy takes longer than what it spares."""
    kinds = kinds_of(tensors)
    if not tensors or not kinds or not all(one.is_floating_point() and _is_small(one) for one in tensors):
        return None
    return kinds if len({one.shape for one in tensors}) == 1 else None


def _is_small(tensor: torch.Tensor) -> bool:
    return tensor.numel() <= (SMALL if tensor.is_cpu else SMALL_ON_DEVICE)


def _size_of(tensors: tuple[torch.Tensor, ...]) -> tuple[int, bool]:
    return max(one.numel() for one in tensors), all(one.is_cpu for one in tensors)
