"""What is read of many draws of a random result: the values at chosen places, and figures of each whole part.

Places are chosen at random, each with neighbours, so that values that go together are seen. Elements of one result are
never counted as draws of one distribution: theirs may differ, and they may depend on each other. They are summed up in
a figure per draw instead, and draws are independent of each other.
"""

import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy
import torch

from perfproof.core.tolerance import SCALED
from perfproof.core.trees import is_array, is_tensor, leaves
from perfproof.worker.verify.numbers import is_floating_or_complex, scale, tolerance_for
from perfproof.worker.verify.places import place

ANCHORS = 24  # places with neighbours in a large part
FEW = 3 * ANCHORS  # a part of so many elements is read as a whole
MOST_AXES = 4
AT_ONCE = 1 << 18  # elements of draws that are read together
ONE_SHAPE = "return one shape, and pad what varies"
SUMMED = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool}
_as_tensor, _mean, _norm, _var = torch.as_tensor, torch.mean, torch.linalg.vector_norm, torch.var


@dataclass
class Places:
    """Where one part of a result is read."""

    name: str  # of the part
    shape: tuple[int, ...]
    discrete: bool
    tolerance: tuple[float, float]  # rtol, atol
    index: numpy.ndarray  # into the flat part
    neighbours: numpy.ndarray  # [pair, 2] of columns: next to each other in memory
    rows: numpy.ndarray  # [pair, 2] of columns: in the same place of the next row, or half a vector apart

    @property
    def columns(self) -> int:
        return len(self.index)

    def title(self, column: int) -> str:
        at = ", ".join(str(int(one)) for one in numpy.unravel_index(self.index[column], self.shape or (1,)))
        return f"place ({at}){self.of_part}" if self.shape else f"the value{self.of_part}"

    @property
    def of_part(self) -> str:
        return f" of {self.name}" if self.name else ""


def choose_places(output: Any, tolerance: dict[str, Any], rng: numpy.random.Generator) -> list[Places]:
    """Parts of one shape are read at the same places: what belongs together is seen together."""
    found: list[Places] = []
    for path, leaf in leaves(output):
        part = _places(place(output, path), leaf, tolerance, rng)
        part.index = next((one.index for one in found if one.shape == part.shape), part.index)
        found.append(part)
    return found


class Reader:
    """Reads draws, many at a time: for each part a row per draw, the values at its places and then its figures."""

    def __init__(self, places: list[Places]):
        self._places = places
        self._most = max(1, AT_ONCE // max(1, sum(math.prod(part.shape) for part in places)))
        self._waiting: list[list[torch.Tensor]] = [[] for _ in places]
        self._rows: list[list[numpy.ndarray]] = [[] for _ in places]

    def take(self, output: Any) -> list[tuple[int, ...]]:
        """The draw's shapes; a draw that has not those of the places is not taken.

        Its numbers are copied: the next call may write into the same memory.
        """
        parts = [leaf for _, leaf in leaves(output)]
        found = [_shape(leaf) for leaf in parts]
        if found == [part.shape for part in self._places]:
            for waiting, leaf in zip(self._waiting, parts, strict=True):
                waiting.append(_numbers(leaf).clone())
            if self._waiting and len(self._waiting[0]) >= self._most:
                self._read()
        return found

    def rows(self) -> list[numpy.ndarray]:
        self._read()
        return [numpy.concatenate(rows) for rows in self._rows]

    def _read(self) -> None:
        for part, waiting, rows in zip(self._places, self._waiting, self._rows, strict=True):
            if waiting:
                rows.append(_rows(torch.stack(waiting), part))
                waiting.clear()


def shape_problem(output: Any, model: Any) -> str:
    """Every draw has the parts and shapes of the reference's first one."""
    ours, theirs = shapes(output), shapes(model)
    return f"has the shapes {ours[:4]}, a draw of the reference {theirs[:4]}: {ONE_SHAPE}" if ours != theirs else ""


def shapes(output: Any) -> list[tuple[int, ...]]:
    return [_shape(leaf) for _, leaf in leaves(output)]


def _places(name: str, leaf: Any, tolerance: dict[str, Any], rng: numpy.random.Generator) -> Places:
    shape = _shape(leaf)
    size, floating = math.prod(shape), is_floating_or_complex(leaf) or type(leaf) in (float, complex)
    step = shape[-1] if len(shape) > 1 else max(1, size // 2)
    if size <= FEW:
        index, columns = numpy.arange(size), numpy.arange(size)
        neighbours, rows = (
            numpy.stack([columns[: size - by], columns[by:]], 1) if by < size else numpy.empty((0, 2), int)
            for by in (1, step)
        )
    else:
        anchors, at = rng.choice(size, ANCHORS, replace=False), numpy.arange(ANCHORS)
        index = numpy.concatenate([anchors, (anchors + 1) % size, (anchors + step) % size])
        neighbours, rows = (numpy.stack([at, at + by], 1) for by in (ANCHORS, 2 * ANCHORS))
    rtol, atol = tolerance_for(tolerance, leaf) if floating else (0.0, 0.0)
    bounds = rtol, atol * scale(leaf) if tolerance.get(SCALED) else atol
    return Places(name, shape, not floating, bounds, index, neighbours, rows)


def _rows(values: torch.Tensor, part: Places) -> numpy.ndarray:
    """Of draws along the first axis."""
    flat = values.reshape(len(values), -1)
    if not part.columns:
        return numpy.empty((len(values), 0))
    if not part.shape:  # a single number has no figures
        return flat.to("cpu", torch.float64).numpy()
    chosen = flat[:, torch.from_numpy(part.index).to(flat.device)].to(torch.float64)
    numbers = flat.double() if part.discrete else flat
    figures = [_mean(flat, 1, dtype=torch.float64), _norm(numbers, dim=1, dtype=torch.float64)]
    if _is_large_and_continuous(part):
        sizes = values.abs()
        figures.append(_norm(numbers, 4, dim=1, dtype=torch.float64))
        figures += [_product(sizes, axis, by) for axis, by in _apart(part)]
    for axis in _summed_axes(part):  # sums along rows and columns: do whole ones go together?
        others = [one for one in range(1, values.dim()) if one != axis]
        figures.append(_var(_mean(values, others, dtype=torch.float64), 1))
    return torch.cat([chosen, torch.stack(figures, 1)], 1).cpu().numpy()


def figure_names(part: Places) -> list[str]:
    """What the figures of a whole part are, in the order in which they are read."""
    if not (part.columns and part.shape):
        return []
    names = ["the means of all values", "the norms of all values"]
    if _is_large_and_continuous(part):
        names.append("the tails of all values")
        names += [f"products of values {by} apart along axis {axis - 1}" for axis, by in _apart(part)]
    return [*names, *(f"the spreads of sums along axis {place}" for place in range(len(_summed_axes(part))))]


def _is_large_and_continuous(part: Places) -> bool:
    return part.columns >= FEW and not part.discrete


def _apart(part: Places) -> list[tuple[int, int]]:
    """Axes and distances at which values are multiplied: noise that is used twice is used for neighbours or halves."""
    axes = [axis for axis, count in enumerate(part.shape, 1) if count > 1]
    found = [(axis, part.shape[axis - 1] // 2) for axis in {axes[0], axes[-1]}]
    return sorted({*found, (axes[-1], 1)})


def _product(sizes: torch.Tensor, axis: int, by: int) -> torch.Tensor:
    count = sizes.shape[axis] - by
    products = sizes.narrow(axis, 0, count) * sizes.narrow(axis, by, count)
    return _mean(products.reshape(len(sizes), -1), 1, dtype=torch.float64)


def _summed_axes(part: Places) -> list[int]:
    axes = [axis for axis, count in enumerate(part.shape, 1) if count > 1][-MOST_AXES:]
    return axes if len(axes) > 1 and part.columns >= FEW else []


def _numbers(leaf: Any) -> torch.Tensor:
    """Any part as real numbers that torch can sum: texts by their checksum, complex numbers by both their parts."""
    if is_tensor(leaf):
        values = leaf.detach()
    else:
        plain = numpy.asarray(leaf)
        if plain.dtype.kind not in "biufc":
            plain = numpy.array([zlib.crc32(repr(one).encode()) for one in plain.reshape(-1)]).reshape(plain.shape)
        values = _as_tensor(numpy.ascontiguousarray(plain))
    if values.is_complex():
        return values.real + math.sqrt(2) * values.imag
    return values if values.dtype in SUMMED else values.double()


def _shape(leaf: Any) -> tuple[int, ...]:
    return tuple(leaf.shape) if is_tensor(leaf) or is_array(leaf) else ()
