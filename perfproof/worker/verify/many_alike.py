"""Many tensors of one shape, looked at together: a question to a device takes longer than the numbers in it.

A step of an optimizer over 64 tensors has 192 results. Asked one by one, each is half a dozen kernels and as many waits
for their answers; stacked, all of a shape are as many kernels, and one wait.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import torch

from perfproof.core.trees import is_tensor

MANY = 4  # of one kind: fewer are as fast one by one
SMALL = 1 << 14  # elements of one on a CPU: larger ones take longer to copy than to ask for
SMALL_ON_DEVICE = 1 << 22
STACKED = 1 << 26  # elements of one stack: 512 MiB in double precision


def alike(values: Sequence[Any], kind: Callable[[Any], Hashable | None]) -> Iterator[list[int]]:
    """Places of values of one kind, in stacks of what memory has room for; None is no kind."""
    found: dict[Hashable, list[int]] = {}
    for at, value in enumerate(values):
        if (key := kind(value)) is not None:
            found.setdefault(key, []).append(at)
    for places in found.values():
        most = STACKED // max(1, size_of(values[places[0]]))
        for begin in range(0, len(places), most):
            if len(part := places[begin : begin + most]) >= MANY:
                yield part


def size_of(value: Any) -> int:
    return sum(map(size_of, value)) if isinstance(value, tuple) else value.numel()


def is_small(tensor: torch.Tensor) -> bool:
    return 0 < tensor.numel() <= (SMALL if tensor.is_cpu else SMALL_ON_DEVICE)


def kind_of(value: Any) -> Hashable | None:
    """What tensors have in common that can be stacked."""
    if not is_tensor(value) or value.layout is not torch.strided or value.is_quantized or value.is_nested:
        return None
    return (tuple(value.shape), value.dtype, value.device) if is_small(value) else None
