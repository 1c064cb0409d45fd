"""Numbers of any kind as tensors: their types, sizes and spacing, and what a tolerance allows them.

The torch functions are bound when this module is imported, before any pair is: a pair that patches
`torch.Tensor.sub` or `torch.isclose` patches nothing that is used here.
"""

import math
import sys
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy
import torch

from perfproof.core.foreign import is_masked, is_nested
from perfproof.core.tolerance import SCALED
from perfproof.core.trees import PLAIN, is_array, is_tensor, special_leaves

_as_tensor, _abs, _norm, _no_grad = torch.as_tensor, torch.abs, torch.linalg.vector_norm, torch.no_grad
_to, _detach, _reshape = torch._C.TensorBase.to, torch._C.TensorBase.detach, torch._C.TensorBase.reshape
_narrow, _round, _nan_to_num = torch.narrow, torch.round, torch.nan_to_num
_gt, _count_nonzero = torch.gt, torch.count_nonzero

PIECE = 1 << 18  # elements: 2 MiB in double precision
DEVICE_PIECE = 1 << 26  # a launch costs more than a cache saves, but memory ends: 512 MiB in double precision
EXACT = dict(rtol=0.0, atol=0.0)
ROUNDINGS, MOST_TERMS = 8, 2**20  # spacings that any few operations may be off by; terms of the longest sum in a row
DOUBLE, MOST_TERMS_OF_DOUBLES = 2.0**-40, 2**30
FINE = 1e-6  # a type with a smaller spacing is computed in itself, one with a larger in float32


def scale(leaf: Any) -> float:
    """The root mean square of finite values; 1 if all are zero."""
    if not is_numeric(leaf) or not size(leaf):
        return 1.0
    finite = (_nan_to_num(_abs(wide_tensor(piece)), 0.0, 0.0, 0.0) for piece in pieces(plain(leaf)))
    with _no_grad():
        return math.hypot(*(float(_norm(piece)) for piece in finite)) / math.sqrt(size(leaf)) or 1.0


def is_mostly_below(leaf: Any, limit: float) -> bool:
    """Are most of the values that are not zero as small as that? So it is if they spread over many powers of ten."""
    if not is_numeric(leaf) or size(leaf) < 2:
        return False
    larger = not_zero = 0
    for piece in pieces(plain(leaf)):
        sizes = _abs(wide_tensor(piece))
        larger += int(_count_nonzero(_gt(sizes, limit)))
        not_zero += int(_count_nonzero(sizes))
    return not_zero > 2 * larger


def honest_rounding(spacing: float, terms: float = 1.0) -> float:
    """The relative error that sums of so many terms, in any order, may have by rounding alone.

    One after the other, n positive terms lose about 0.17 sqrt(n) spacings; coarse types are summed in float32. Of
    float32 never so much that it would explain what a coarser type loses; doubles are far from that.
    """
    most = MOST_TERMS if spacing > DOUBLE else MOST_TERMS_OF_DOUBLES
    return spacing * (max(ROUNDINGS, 0.5 * math.sqrt(min(terms, most))) if spacing < FINE else 1)


def size(leaf: Any) -> int:
    return leaf.numel() if is_tensor(leaf) else leaf.size if is_array(leaf) else 1


def in_type_of(leaf: Any, model: Any) -> Any:
    """An answer of the reference, rounded to the type that a side returns."""
    if not (is_numeric(leaf) and is_numeric(model)) or type(leaf) is type(model) is int:
        return leaf
    if is_tensor(model):
        values = plain(leaf)
        rounds = values.is_floating_point() and not (model.is_floating_point() or model.is_complex())
        return _to(_round(values) if rounds else values, model.dtype)
    values = plain(leaf).cpu()
    value = (wide_tensor(values) if values.is_floating_point() else values).numpy()
    if of_numpy(model):
        rounds = value.dtype.kind in "fc" and model.dtype.kind in "iu"
        return (numpy.rint(value) if rounds else value).astype(model.dtype)
    if value.size != 1 or not numpy.isfinite(value).all():
        return leaf
    return round(value.item()) if type(model) is int else type(model)(value.item())


def tolerance_for(tolerance: dict[str, Any], leaf: Any) -> tuple[float, float]:
    """(rtol, atol) for a leaf; a tolerance may be keyed by the name of the dtype. Whole numbers must be equal."""
    if type(leaf) in (int, bool):  # a result may have very many of them
        return 0.0, 0.0
    name = dtype_name(leaf)
    if type(leaf) is float and tolerance.get(SCALED) and is_of_float32(leaf):
        name = "float32"
    if name in tolerance and isinstance(tolerance[name], dict):
        tolerance = tolerance[name]
    elif "rtol" not in tolerance:
        tolerance = EXACT
    exact = (is_tensor(leaf) or of_numpy(leaf)) and not is_floating_or_complex(leaf)
    exact = exact or isinstance(leaf, (bool, int))
    return (0.0, 0.0) if exact else (float(tolerance["rtol"]), float(tolerance["atol"]))


def for_numbers_of_python(tolerance: dict[str, Any], arguments: tuple) -> dict[str, Any]:
    """The defaults for such arguments: numbers of Python are doubles if nothing coarser is among them."""
    if not tolerance.get(SCALED) or any(_is_coarse(leaf) for _, leaf in special_leaves(arguments)):
        return tolerance
    return tolerance | dict.fromkeys(("float", "complex"), tolerance["float64"])


def _is_coarse(leaf: Any) -> bool:
    return (is_tensor(leaf) or of_numpy(leaf)) and is_floating_or_complex(leaf) and rounding(leaf) > DOUBLE


def is_of_float32(number: float) -> bool:
    """Has it as many digits as a float32, and no more? A tensor that nobody was given may have held it."""
    if not math.isfinite(number) or not number:
        return False
    digits = int(abs(math.frexp(number)[0]) * 2**53)
    return digits % 2**29 == 0 and digits % 2**34 != 0


def dtype_name(leaf: Any) -> str:
    if is_tensor(leaf):
        return str(leaf.dtype).removeprefix("torch.")
    if of_numpy(leaf):
        return str(leaf.dtype)
    return type(leaf).__name__


def rounding(leaf: Any) -> float:
    """The spacing of the leaf's type next to 1: what no computation in that type can be better than."""
    if not is_floating_or_complex(leaf):
        return 2.0**-52
    if _of_ml_dtypes(leaf):
        return _ml_spacing(leaf)
    return torch.finfo(leaf.dtype).eps if is_tensor(leaf) else float(numpy.finfo(leaf.dtype).eps)


def is_floating_or_complex(leaf: Any) -> bool:
    if type(leaf) in PLAIN:
        return False
    return is_floating(leaf) or (is_tensor(leaf) and leaf.is_complex()) or (of_numpy(leaf) and leaf.dtype.kind == "c")


def is_floating(leaf: Any) -> bool:
    if type(leaf) in PLAIN:
        return False
    if _of_ml_dtypes(leaf):
        return _ml_spacing(leaf) > 0
    return leaf.is_floating_point() if is_tensor(leaf) else of_numpy(leaf) and leaf.dtype.kind == "f"


def wide(leaf: Any) -> Any:
    """Numbers of any kind as a tensor in double precision; no gradient is one of zeros."""
    return wide_tensor(plain(0.0 if leaf is None else leaf))


def pieces(tensor: Any, device: Any = None) -> Iterator[Any]:
    """As large as they are on `device`, the tensor's own unless named."""
    flat, count = _reshape(tensor, (-1,)), tensor.numel()
    step = PIECE if (device or tensor.device).type == "cpu" else DEVICE_PIECE
    return (_narrow(flat, 0, begin, min(step, count - begin)) for begin in range(0, count, step))


def plain(leaf: Any) -> Any:
    """Numbers as tensors that hold all their digits: torch would make float32 of a float, and knows no long double."""
    if is_tensor(leaf):
        return _detach(leaf)
    is_beyond = type(leaf) is int and abs(leaf) >= 2**63  # no tensor holds it; whether two are equal is asked before
    values = numpy.asarray(float(leaf) if is_beyond or isinstance(leaf, (Decimal, Fraction)) else leaf)
    if values.dtype == numpy.longdouble or _of_ml_dtypes(values):
        values = values.astype("float64")
    strange = any(step < 0 or step % values.itemsize for step in values.strides)  # torch has no such steps
    return _as_tensor(values.copy() if strange else values)


def of_numpy(leaf: Any) -> bool:
    return is_array(leaf) or isinstance(leaf, numpy.generic)


def wide_tensor(tensor: Any) -> Any:
    return _to(tensor, torch.complex128 if tensor.is_complex() else torch.float64)


def _of_ml_dtypes(leaf: Any) -> bool:
    """Numbers in a type that numpy itself does not know, such as bfloat16."""
    return of_numpy(leaf) and leaf.dtype.kind == "V" and leaf.dtype.type.__module__.startswith("ml_dtypes")


def _ml_spacing(leaf: Any) -> float:
    """Next to 1; 0 for whole numbers."""
    try:
        return float(sys.modules["ml_dtypes"].finfo(leaf.dtype).eps)
    except ValueError:
        return 0.0


def is_numeric(leaf: Any) -> bool:
    if is_tensor(leaf) or of_numpy(leaf):
        return is_tensor(leaf) or leaf.dtype.kind in "biufc" or _of_ml_dtypes(leaf)
    return isinstance(leaf, (bool, int, float, complex, Decimal, Fraction)) and not isinstance(leaf, Enum)


def is_dense(leaf: Any) -> bool:
    """Numbers that lie in memory one by one: not a sparse, nested or quantised tensor, nor under a mask."""
    if is_tensor(leaf):
        return leaf.layout == torch.strided and not leaf.is_quantized and not is_nested(leaf)
    return is_array(leaf) and leaf.dtype.kind in "biufc" and not is_masked(leaf)
