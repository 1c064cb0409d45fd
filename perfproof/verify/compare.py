"""Hold a result against the reference: all of it, in double precision, NaN and infinity included.

The torch functions are bound when this module is imported, before any pair is: a pair that patches
`torch.Tensor.sub` or `torch.isclose` patches nothing that is used here.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy
import torch

from perfproof.core.trees import is_array, is_tensor, leaves

_as_tensor, _sub, _abs, _mul, _add, _div = torch.as_tensor, torch.sub, torch.abs, torch.mul, torch.add, torch.div
_isnan, _isinf, _where, _equal, _any = torch.isnan, torch.isinf, torch.where, torch.equal, torch.any
_max, _norm, _no_grad = torch.max, torch.linalg.vector_norm, torch.no_grad
_to, _detach, _reshape = torch._C.TensorBase.to, torch._C.TensorBase.detach, torch._C.TensorBase.reshape
_narrow, _count, _round = torch.narrow, torch.count_nonzero, torch.round

PIECE = 1 << 18  # elements: 2 MiB in double precision
EXACT = dict(rtol=0.0, atol=0.0)
ROUNDINGS, MOST_TERMS = 8, 2**20  # spacings that any few operations may be off by; terms of the longest sum in a row
FINE = 1e-6  # a type with a smaller spacing is computed in itself, one with a larger in float32


@dataclass(frozen=True)
class Part:
    """One part of a result: the norms of its error and of the reference, and the spacing of its type next to 1."""

    apart: float = 0.0
    reference: float = 0.0
    spacing: float = 2.0**-52

    @property
    def relative(self) -> float:
        return _relative(self.apart, self.reference)

    def pooled(self, other: "Part") -> "Part":
        """Over two calls: a sum that cancels in one of them does not decide alone."""
        norms = math.hypot(self.apart, other.apart), math.hypot(self.reference, other.reference)
        return Part(*norms, max(self.spacing, other.spacing))


@dataclass(frozen=True)
class Difference:
    """How far a result is from the reference; `problem` is empty if it is within tolerance."""

    rms_relative: float = 0.0
    max_absolute: float = 0.0
    of_tolerance: float = 0.0  # worst |difference| / (atol + rtol |reference|)
    problem: str = ""
    parts: tuple[Part, ...] = ()
    wrong: float = 0.0  # share of the elements beyond the tolerance, in the worst part

    def worse(self, other: "Difference") -> "Difference":
        pooled = (one.pooled(two) for one, two in zip(self.parts, other.parts, strict=False))
        return Difference(
            max(self.rms_relative, other.rms_relative),
            max(self.max_absolute, other.max_absolute),
            max(self.of_tolerance, other.of_tolerance),
            self.problem or other.problem,
            tuple(pooled) or self.parts or other.parts,
            max(self.wrong, other.wrong),
        )


def difference(result: Any, reference: Any, tolerance: dict[str, Any], arguments: Any = ()) -> Difference:
    """The worst difference over all leaves; a different structure is a problem, not an exception.

    A number of Python has no type that says how it was computed: it is taken to be as fine as the `arguments` are.
    """
    of_numbers = max([2.0**-52, *(rounding(leaf) for _, leaf in leaves(arguments) if is_floating_or_complex(leaf))])
    ours, theirs = list(leaves(result)), list(leaves(reference))
    if [path for path, _ in ours] != [path for path, _ in theirs]:
        return _differs(f"has the parts {_names(ours)}, the reference {_names(theirs)}")
    worst, parts = Difference(), []
    for (path, leaf), (_, expected) in zip(ours, theirs, strict=True):
        one = _leaf_difference(leaf, expected, tolerance)
        if one.problem and path:
            one = replace(one, problem=f"part {'.'.join(path)} {one.problem}")
        worst = worst.worse(one)
        part = one.parts[0] if one.parts else Part(one.rms_relative, float(not one.problem))
        parts.append(replace(part, spacing=of_numbers if type(leaf) in (float, complex) else rounding(leaf)))
    return replace(worst, parts=tuple(parts))


def honest_rounding(spacing: float, terms: float = 1.0) -> float:
    """The relative error that sums of so many terms, in any order, may have by rounding alone.

    One after the other, n positive terms lose about 0.17 sqrt(n) spacings; coarse types are summed in float32.
    """
    return spacing * (max(ROUNDINGS, 0.5 * math.sqrt(min(terms, MOST_TERMS))) if spacing < FINE else 1)


def size(leaf: Any) -> int:
    return leaf.numel() if is_tensor(leaf) else leaf.size if is_array(leaf) else 1


def in_type_of(leaf: Any, model: Any) -> Any:
    """An answer of the reference, rounded to the type that a side returns."""
    if not (is_numeric(leaf) and is_numeric(model)):
        return leaf
    if is_tensor(model):
        plain = _plain(leaf)
        whole = plain.is_floating_point() and not (model.is_floating_point() or model.is_complex())
        return _to(_round(plain) if whole else plain, model.dtype)
    plain = _plain(leaf).cpu()
    value = (_wide(plain) if plain.is_floating_point() else plain).numpy()
    if _of_numpy(model):
        whole = value.dtype.kind in "fc" and model.dtype.kind in "iu"
        return (numpy.rint(value) if whole else value).astype(model.dtype)
    if value.size != 1 or not numpy.isfinite(value).all():
        return leaf
    return round(value.item()) if type(model) is int else type(model)(value.item())


def tolerance_for(tolerance: dict[str, Any], leaf: Any) -> tuple[float, float]:
    """(rtol, atol) for a leaf; a tolerance may be keyed by the name of the dtype. Whole numbers must be equal."""
    name = dtype_name(leaf)
    if name in tolerance and isinstance(tolerance[name], dict):
        tolerance = tolerance[name]
    elif "rtol" not in tolerance:
        tolerance = EXACT
    exact = is_tensor(leaf) and not (leaf.is_floating_point() or leaf.is_complex())
    exact = exact or (_of_numpy(leaf) and leaf.dtype.kind not in "fc") or isinstance(leaf, (bool, int))
    return (0.0, 0.0) if exact else (float(tolerance["rtol"]), float(tolerance["atol"]))


def dtype_name(leaf: Any) -> str:
    if is_tensor(leaf):
        return str(leaf.dtype).removeprefix("torch.")
    if _of_numpy(leaf):
        return str(leaf.dtype)
    return type(leaf).__name__


def rounding(leaf: Any) -> float:
    """The spacing of the leaf's type next to 1: what no computation in that type can be better than."""
    if not is_floating_or_complex(leaf):
        return 2.0**-52
    return torch.finfo(leaf.dtype).eps if is_tensor(leaf) else float(numpy.finfo(leaf.dtype).eps)


def is_floating_or_complex(leaf: Any) -> bool:
    return is_floating(leaf) or (is_tensor(leaf) and leaf.is_complex()) or (_of_numpy(leaf) and leaf.dtype.kind == "c")


def is_floating(leaf: Any) -> bool:
    return leaf.is_floating_point() if is_tensor(leaf) else _of_numpy(leaf) and leaf.dtype.kind == "f"


def wide(leaf: Any) -> Any:
    """Numbers of any kind as a tensor in double precision."""
    return _wide(_plain(leaf))


def _leaf_difference(leaf: Any, expected: Any, tolerance: dict[str, Any]) -> Difference:
    if type(leaf) is type(expected) is int and max(abs(leaf), abs(expected)) >= 2**63:  # no tensor holds it
        return Difference() if leaf == expected else _differs("differs from the reference")
    if is_numeric(leaf) and is_numeric(expected):
        return _numeric_difference(leaf, expected, *tolerance_for(tolerance, leaf))
    if type(leaf) is not type(expected):
        return _differs(f"is {type(leaf).__name__}, the reference {type(expected).__name__}")
    if is_array(leaf):  # of text
        return Difference() if numpy.array_equal(leaf, expected) else _differs("differs from the reference")
    return Difference() if leaf == expected else _differs("differs from the reference")


def _numeric_difference(leaf: Any, expected: Any, rtol: float, atol: float) -> Difference:
    ours, theirs = _plain(leaf), _plain(expected)
    if tuple(ours.shape) != tuple(theirs.shape):
        return _differs(f"has shape {tuple(ours.shape)}, the reference {tuple(theirs.shape)}")
    if ours.numel() == 0:
        return Difference()
    with _no_grad():
        theirs = _to(theirs, ours.device)
        whole = ours.dtype == theirs.dtype and not (ours.is_floating_point() or ours.is_complex())
        if whole and _equal(ours, theirs):
            return Difference()
        found = _finite_difference(ours, theirs, rtol, atol)
        if found is None:
            found = _odd_difference(_wide(ours), _wide(theirs), rtol, atol)
    if whole and found.max_absolute == 0:
        return _differs("differs from the reference in whole numbers beyond 2**53")
    return found


def _finite_difference(ours: Any, theirs: Any, rtol: float, atol: float) -> Difference | None:
    """Piece by piece, as results are large and caches are not; None where a NaN or an infinity is on either side.

    A difference is finite where both values are, and the largest of many is NaN where one of them is: no piece has to
    be searched for them. Where two finite values are further apart than the largest number, the other way decides.
    """
    share = worst = 0.0
    beyond, norms = 0, []
    for one, other in zip(_pieces(ours), _pieces(theirs), strict=True):
        mine, right = _wide(one), _wide(other)
        apart = _abs(_sub(mine, right))
        most = float(_max(apart))
        if not math.isfinite(most):
            return None
        if most > 0:
            allowed = _abs(right)
            most_share, count = _shares(apart, _add(_mul(allowed, rtol, out=allowed), atol, out=allowed))
            share, beyond = max(share, most_share), beyond + count
        worst = max(worst, most)
        norms.append((float(_norm(apart)), float(_norm(right))))
    return _judged(share, worst, norms, beyond / ours.numel())


def _odd_difference(ours: Any, theirs: Any, rtol: float, atol: float) -> Difference:
    if not _equal(_isnan(ours), _isnan(theirs)):
        return _differs("has NaN where the reference has none, or the other way round")
    ours, theirs = _same_infinities(ours, theirs)
    if ours is None:
        return _differs("has infinities in other places than the reference")
    apart = _abs(_sub(ours, theirs))
    share, beyond = _shares(apart, _add(_mul(_abs(theirs), rtol), atol))
    norms = [(float(_norm(apart)), float(_norm(theirs)))]
    return _judged(share, float(_max(apart)), norms, beyond / apart.numel())


def _judged(share: float, worst: float, norms: list[tuple[float, float]], wrong: float) -> Difference:
    problem = "" if share <= 1.0 else f"is off by up to {worst:.3g}: {share:.3g} times the tolerance"
    apart, reference = (math.hypot(*parts) for parts in zip(*norms, strict=True))
    return Difference(_relative(apart, reference), worst, share, problem, (Part(apart, reference),), wrong)


def _pieces(tensor: Any) -> list[Any]:
    """On a device one piece: there a launch costs more than memory."""
    flat, size = _reshape(tensor, (-1,)), tensor.numel()
    step = PIECE if tensor.device.type == "cpu" else size
    return [_narrow(flat, 0, begin, min(step, size - begin)) for begin in range(0, size, step)]


def _same_infinities(ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Equal infinities and NaNs are set to zero on both sides so that the rest can be compared."""
    odd = _isinf(theirs) | _isnan(theirs)
    if bool(_any(_isinf(ours) & ~odd)) or not _equal(
        _where(_isinf(theirs), theirs, 0.0), _where(_isinf(ours), ours, 0.0)
    ):
        return None, None
    return _where(odd, 0.0, ours), _where(odd, 0.0, theirs)


def _shares(apart: Any, allowed: Any) -> tuple[float, int]:
    """The worst share of what is allowed, and how many are above 1; nothing allowed and nothing apart is right."""
    share = _where(apart > 0, _div(apart, allowed), 0.0)
    worst = float(_max(share))
    return worst, int(_count(share > 1.0)) if worst > 1.0 else 0


def _relative(norm_apart: float, norm_reference: float) -> float:
    if norm_apart == 0:
        return 0.0
    return norm_apart / norm_reference if norm_reference > 0 else math.inf


def _plain(leaf: Any) -> Any:
    """Numbers as tensors that hold all their digits: torch would make float32 of a float, and knows no long double."""
    if is_tensor(leaf):
        return _detach(leaf)
    values = numpy.asarray(leaf)
    if values.dtype == numpy.longdouble:
        values = values.astype("float64")
    return _as_tensor(values if min(values.strides, default=0) >= 0 else values.copy())  # torch has no steps backwards


def _of_numpy(leaf: Any) -> bool:
    return is_array(leaf) or isinstance(leaf, numpy.generic)


def _wide(tensor: Any) -> Any:
    return _to(tensor, torch.complex128 if tensor.is_complex() else torch.float64)


def is_numeric(leaf: Any) -> bool:
    if is_tensor(leaf) or _of_numpy(leaf):
        return is_tensor(leaf) or leaf.dtype.kind in "biufc"
    return isinstance(leaf, (bool, int, float, complex))


def is_dense(leaf: Any) -> bool:
    """Numbers that lie in memory one by one: not a sparse or a quantised tensor."""
    if is_tensor(leaf):
        return leaf.layout == torch.strided and not leaf.is_quantized
    return is_array(leaf) and leaf.dtype.kind in "biufc"


def _differs(problem: str) -> Difference:
    return Difference(math.inf, math.inf, math.inf, problem, wrong=1.0)


def _names(parts: list[tuple[tuple[str, ...], Any]]) -> str:
    return ", ".join(".".join(path) or "(itself)" for path, _ in parts[:6]) or "(none)"
