"""Argument sets laid out in slabs, so that the values of many sets are changed by a handful of operations.

A slab holds one floating-point argument of every set, a row a set. Changing a run of sets scales their rows, each by a
factor of its own, and moves a block from row to row: no row is a multiple of what it was, nor a copy of its neighbour.
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy
import torch

ALIGNMENT = 256  # bytes between rows: every set starts as a fresh allocation would
SCALES = (0.8, 1.25)
PART = 16  # a part is one sixteenth of a row


class Slab:
    """One tensor or array argument of all sets."""

    def __init__(self, model: Any, sets: int):
        self._is_array = isinstance(model, numpy.ndarray)
        self._model = torch.from_numpy(model) if self._is_array else model.detach()
        self._elements = self._model.numel()
        step = max(1, ALIGNMENT // self._model.element_size())
        width = -(-self._elements // step) * step
        self._rows = torch.empty(sets, width, dtype=self._model.dtype, device=self._model.device)
        self._factors = [1.0] * sets
        self.restore(0, sets)

    def view(self, place: int) -> Any:
        """The argument of set `place`; shape and type of the model, memory of its own."""
        own = self._rows[place, : self._elements].view(self._model.shape)
        return own.numpy() if self._is_array else own

    def restore(self, start: int, stop: int) -> None:
        """The model's values again."""
        self._rows[start:stop, : self._elements] = self._model.reshape(1, -1)
        self._factors[start:stop] = [1.0] * (stop - start)

    def change(self, start: int, stop: int, rng: random.Random, whole: bool) -> None:
        """New values for the rows from `start` to `stop`: all of them, or a part of each row."""
        rows = self._rows[start:stop, : self._elements]
        if whole:
            factors = [rng.uniform(*SCALES) for _ in range(stop - start)]
            rows.mul_(self._column([new / old for new, old in zip(factors, self._factors[start:stop], strict=True)]))
            self._factors[start:stop] = factors
        else:
            length = max(1, self._elements // PART)
            for low, high in ((SCALES[0], 1.0), (1.0, SCALES[1])):  # down here, up there: no drift
                at = rng.randrange(self._elements - length + 1)
                rows[:, at : at + length].mul_(self._column([rng.uniform(low, high) for _ in range(stop - start)]))
        self._move_block(rows, self._factors[start:stop], rng)

    def _move_block(self, rows: torch.Tensor, factors: Sequence[float], rng: random.Random) -> None:
        """One block of each row goes to the next row, with that row's factor, and to another place in it."""
        length = max(1, min(self._elements // 8, 4096))
        source, target = (rng.randrange(self._elements - length + 1) for _ in range(2))
        moved = rows[:, source : source + length].roll(1, 0)
        if len(factors) > 1:
            moved *= self._column([own / before for own, before in zip(factors, (factors[-1], *factors), strict=False)])
        rows[:, target : target + length] = moved

    def _column(self, values: Sequence[float]) -> Any:
        if len(values) == 1:
            return values[0]
        column = torch.tensor(values, dtype=torch.float32).to(self._rows.device, self._rows.dtype, non_blocking=True)
        return column.unsqueeze(1)


def fits_a_slab(leaf: Any) -> bool:
    if type(leaf) is numpy.ndarray:
        return leaf.dtype in (numpy.float32, numpy.float64) and leaf.flags.c_contiguous and leaf.flags.writeable
    return (
        type(leaf) is torch.Tensor
        and leaf.is_floating_point()
        and leaf.is_contiguous()
        and not leaf.requires_grad
        and leaf.numel() > 0
        and leaf.element_size() > 1  # eight-bit floats cannot be scaled
    )
