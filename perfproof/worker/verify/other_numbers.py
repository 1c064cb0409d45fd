"""Numbers that `inputs` never draws: other signs, NaN and infinity, large whole numbers, no zeros, rows of any sum."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy
import torch

from perfproof.core.trees import is_array, map_leaves
from perfproof.worker.verify.numbers import dtype_name, is_dense, rounding, size
from perfproof.worker.verify.records import columns, with_column

LARGER = 1024
FEW = 16  # distinct values of a mask or a flag
NOT_FINITE = ("with a NaN", "with an infinity", "with a row of minus infinity")
NEGATIVE_ZERO = "with a negative zero"

Row = numpy.ndarray


def on_rows(value: Any, change: Callable[[Row], Row]) -> Any:
    """Tensors, arrays and lists of numbers, changed; everything else as it is."""
    if type(value) in (list, tuple):
        if _is_row(value):
            return type(value)(change(numpy.array(value)).tolist())
        return value if hasattr(value, "_fields") else type(value)(on_rows(one, change) for one in value)
    if type(value) is dict:
        return {key: on_rows(one, change) for key, one in value.items()}
    return map_leaves(value, partial(_on_leaf, change))


def in_records(value: Any, change: Callable[[Row], Row], in_one: bool) -> Iterator[Any]:
    """Numbers changed, of records one column at a time: a place of a record is one thing, an amount is another.

    Of several tensors only one is, with `in_one`.
    """
    if in_one and type(value) is list and len(value) > 1:
        middle = len(value) // 2
        yield [*value[:middle], on_rows(value[middle], change), *value[middle + 1 :]]
    else:
        yield on_rows(value, change)
    for name, column in _columns(value).items():
        changed = change(numpy.array(column)).tolist()
        if changed != column:
            yield _with_column(value, name, changed)


def _columns(value: Any) -> dict[Any, list]:
    """Those of numbers: of a list of records, and of a dict the one with its values."""
    found = {None: list(value.values())} if type(value) is dict else columns(value)
    return {name: column for name, column in found.items() if _is_row(column)}


def _with_column(value: Any, name: Any, column: list) -> Any:
    return dict(zip(value, column, strict=True)) if type(value) is dict else with_column(value, name, column)


def _is_row(value: list | tuple) -> bool:
    return {*map(type, value)} in ({int}, {float}) and len(value) > 1 and all(abs(one) < 2**62 for one in value)


def _on_leaf(change: Callable[[Row], Row], leaf: Any) -> Any:
    if not is_dense(leaf) or size(leaf) < 2 or dtype_name(leaf).startswith(("bool", "complex")):
        return leaf
    if is_array(leaf):
        return change(leaf.copy()).astype(leaf.dtype)
    own = leaf.detach().cpu()
    fine = own.double() if own.is_floating_point() and rounding(own) > 2.0**-11 else own  # NumPy has no bfloat16
    return torch.from_numpy(change(fine.numpy().copy())).to(leaf.dtype).requires_grad_(leaf.requires_grad)


def _is_structure(x: Row) -> bool:
    """A mask, a sorted table, a symmetric matrix, normalised rows: other values are not to be expected there."""
    flat = x.reshape(-1)[: 1 << 16]
    if numpy.unique(flat).size <= min(FEW, flat.size // 2) or _is_sorted(flat):
        return True
    return _is_symmetric(x) or _is_normalised(x)


def _is_symmetric(x: Row) -> bool:
    return x.ndim > 1 and x.shape[-1] == x.shape[-2] > 1 and numpy.array_equal(x, x.swapaxes(-1, -2))


def _is_normalised(x: Row) -> bool:
    rows = (x.sum(-1), numpy.square(x).sum(-1)) if x.dtype.kind == "f" else ()
    return any(bool((abs(row - 1) < 1e-3).all()) for row in rows)


def _is_sorted(flat: Row) -> bool:
    return bool((flat[1:] >= flat[:-1]).all() or (flat[1:] <= flat[:-1]).all())


def _of_both_signs(x: Row) -> Row:
    one_sign = x.dtype.kind != "u" and ((x >= 0).all() or (x <= 0).all())
    if not one_sign or _is_structure(x):
        return x
    flat = x.reshape(-1)
    flat[1::2] *= -1  # not the first: what is done before an error shows then
    return flat.reshape(x.shape)


def _large(x: Row) -> Row:
    """All as large as a small type allows; of a large type one value, which alone makes no loop endless."""
    if x.dtype.kind not in "iu":
        return x
    most = numpy.iinfo(x.dtype).max
    if x.itemsize <= 2:
        return numpy.full_like(x, most)
    flat = x.reshape(-1)
    flat[len(flat) // 2] = min(max(abs(int(flat.max())), 1) * LARGER, most)
    return flat.reshape(x.shape)


def _no_longer_alike(x: Row) -> Row:
    """A length or a weight that is the same for all, as of a batch in which all rows are equally long."""
    flat = x.reshape(-1)
    if flat[0] == 0 or not numpy.isfinite(flat[0]) or (flat != flat[0]).any():
        return x
    half = flat[1::2] / 2
    flat[1::2] = half if x.dtype.kind == "f" else numpy.ceil(half)
    return flat.reshape(x.shape)


def _between(x: Row) -> Row:
    """Of whole numbers that are few and far apart, as 0 and 255 are: any from the smallest to the largest.

    Labels without gaps are a set of their own, and zeros and ones are flags.
    """
    if x.dtype.kind not in "iu" or not x.size:
        return x
    low, high, kinds = int(x.min()), int(x.max()), numpy.unique(x).size
    if kinds > FEW or high - low < 2 * kinds or x.size < 2 * kinds:
        return x
    return low + (numpy.arange(x.size).reshape(x.shape) * 37) % (high - low + 1)


def all_as_large(x: Row) -> Row:
    """Whole numbers that are all the largest that was drawn: sums of products are as large as they can be."""
    if x.dtype.kind not in "iu" or not x.size or _is_structure(x):
        return x
    return x.max() - (numpy.arange(x.size).reshape(x.shape) % 3 == 0)  # a sum of equal ones may be exact by chance


def _holding(value: float, row: bool = False) -> Callable[[Row], Row]:
    def change(x: Row) -> Row:
        if x.dtype.kind != "f" or (x.ndim == 1 and (row or _is_sorted(x))):
            return x
        if row:
            x[-1] = value
        else:
            x.reshape(-1)[x.size // 2] = value
        return x

    return change


def _not_normalised(x: Row) -> Row:
    if not _is_normalised(x):
        return x
    return x * (numpy.linspace(0.5, 1.75, x[..., 0].size).reshape(x[..., :1].shape) if x.ndim > 1 else 1.5)


def _not_symmetric(x: Row) -> Row:
    return x + numpy.triu(x, 1) / 4 if x.dtype.kind == "f" and _is_symmetric(x) else x


def _between_whole_numbers(x: Row) -> Row:
    """Counts in floating point may be weights one day; zeros and ones are flags."""
    if x.dtype.kind != "f" or not numpy.isfinite(x).all() or (x != x.round()).any() or numpy.unique(x).size < 3:
        return x
    return x + numpy.linspace(0.125, 0.375, x.size).reshape(x.shape)


def _without_zeros(x: Row) -> Row:
    """Where most values are zero, a variant may count on it."""
    if x.dtype.kind != "f" or not 0.5 < float((x == 0).mean()) < 1 or numpy.unique(x).size <= FEW:
        return x
    usual = float(abs(x).sum() / max(1, (x != 0).sum()))
    return numpy.where(x == 0, usual * numpy.linspace(0.5, 1.5, x.size).reshape(x.shape), x).astype(x.dtype)


CHANGES: dict[str, Callable[[Row], Row]] = {
    "with values of both signs": _of_both_signs,
    "with a large whole number": _large,
    "with values between those drawn": _between,
    "with values that are not all alike": _no_longer_alike,
    "without zeros": _without_zeros,
    "with rows that are not normalised": _not_normalised,
    "that is not symmetric": _not_symmetric,
    "with values between whole numbers": _between_whole_numbers,
    NEGATIVE_ZERO: _holding(-0.0),
    NOT_FINITE[0]: _holding(numpy.nan),
    NOT_FINITE[1]: _holding(numpy.inf),
    NOT_FINITE[2]: _holding(-numpy.inf, row=True),
}
OF_WHOLE_NUMBERS = ("with values of both signs", "with a large whole number")
