"""Hold a result against the reference: all of it, in double precision, NaN and infinity included.

The torch functions are bound when this module is imported, before any pair is: a pair that patches
`torch.Tensor.sub` or `torch.isclose` patches nothing that is used here.
"""

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import takewhile
from typing import Any, NamedTuple

import numpy
import torch

from perfproof.core.foreign import EXACT as EQUAL
from perfproof.core.foreign import is_nested, is_sparse, sparse_entries, sparse_name
from perfproof.core.tolerance import SCALED
from perfproof.core.training import Settings
from perfproof.core.trees import PLAIN, Path, canonical, is_array, is_stateful, is_tensor, leaves, whole
from perfproof.worker.verify.mismatch import (
    count_of,
    got_and_expected,
    part_name,
    part_of_answer,
    place_in,
    shown,
    times_tolerance,
    told,
)

_as_tensor, _sub, _abs, _mul, _add, _div = torch.as_tensor, torch.sub, torch.abs, torch.mul, torch.add, torch.div
_isnan, _isinf, _where, _equal, _any = torch.isnan, torch.isinf, torch.where, torch.equal, torch.any
_max, _min, _norm, _no_grad = torch.max, torch.min, torch.linalg.vector_norm, torch.no_grad
_to, _detach, _reshape = torch._C.TensorBase.to, torch._C.TensorBase.detach, torch._C.TensorBase.reshape
_narrow, _count, _round = torch.narrow, torch.count_nonzero, torch.round
_cat, _unique, _searchsorted = torch.cat, torch.unique, torch.searchsorted
_argmax, _nonzero, _nan_to_num = torch.argmax, torch.nonzero, torch.nan_to_num

PIECE = 1 << 18  # elements: 2 MiB in double precision
DEVICE_PIECE = 1 << 26  # a launch costs more than a cache saves, but memory ends: 512 MiB in double precision
EXACT = dict(rtol=0.0, atol=0.0)
ROUNDINGS, MOST_TERMS = 8, 2**20  # spacings that any few operations may be off by; terms of the longest sum in a row
DOUBLE, MOST_TERMS_OF_DOUBLES = 2.0**-40, 2**30
FINE = 1e-6  # a type with a smaller spacing is computed in itself, one with a larger in float32
MANY_NUMBERS, NUMBERS = 32, {float, int, bool}  # so many numbers of Python are compared together
QUANTISED = 2.0**-7  # a step of 8 bits, next to 1
# A value next to zero that rounding turns goes another way through a ReLU, and takes a row of a gradient with it.
TURNED, TURNED_RMS = 0.01, 0.02  # share of the elements of a part of training state, and its relative error then
SETTING = 1e-5  # relative: a learning rate is computed from few numbers


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


class Facing(NamedTuple):
    """One part of a result beside the reference's, and what they may differ by."""

    path: Path
    ours: Any
    theirs: Any
    rtol: float
    atol: float
    of_python: bool = False  # many numbers of Python, whose type does not say how precisely they were computed
    of_state: bool = False  # of a module, an optimizer, ...
    quantised: Any = None  # the tensor of such a type that `ours` is the value of
    cancelled: float = 0.0  # in a part of training state that is all rounding: the RMS of the parts of its kind

    @property
    def name(self) -> str:
        return ".".join(self.path)


def answer_difference(answer: Any, reference: Any, tolerance: dict[str, Any], arguments: Any = ()) -> Difference:
    """The difference of two answers, each a result and the arguments that were changed; parts have the user's names."""
    return _difference(answer, reference, tolerance, arguments, part_of_answer)


def difference(result: Any, reference: Any, tolerance: dict[str, Any], arguments: Any = ()) -> Difference:
    """The worst difference over all leaves; a different structure is a problem, not an exception.

    A number of Python has no type that says how it was computed: it is taken to be as fine as the `arguments` are.
    """
    return _difference(result, reference, tolerance, arguments, part_name)


def _difference(
    result: Any, reference: Any, tolerance: dict[str, Any], arguments: Any, named: Callable[[Path], str]
) -> Difference:
    of_numbers = max([2.0**-52, *(rounding(leaf) for _, leaf in leaves(arguments) if is_floating_or_complex(leaf))])
    facing, problem = side_by_side(result, reference, tolerance, named)
    if problem:
        return _differs(problem)
    worst, parts = Difference(), []
    for pair in facing:
        if type(pair.ours) is type(pair.theirs) and type(pair.ours) in EQUAL and pair.ours == pair.theirs:
            parts.append(Part(0.0, 1.0))
            continue
        one = _leaf_difference(pair.ours, pair.theirs, pair.rtol, pair.atol)
        if pair.of_state and one.problem and one.wrong <= TURNED and one.rms_relative <= TURNED_RMS:
            one = replace(one, problem="", of_tolerance=1.0)
        if one.problem and (place := named(pair.path)):
            one = replace(one, problem=f"{place} {one.problem}")
        worst = worst.worse(one)
        part = one.parts[0] if one.parts else Part(one.rms_relative, float(not one.problem))
        if pair.cancelled:
            part = replace(part, reference=pair.cancelled * math.sqrt(size(pair.theirs)))
        of_python = (pair.of_python and pair.ours.dtype.kind == "f") or type(pair.ours) in (float, complex)
        spacing = QUANTISED if pair.quantised is not None else rounding(pair.ours)
        parts.append(replace(part, spacing=of_numbers if of_python else spacing))
    return replace(worst, parts=tuple(parts))


def side_by_side(
    result: Any, reference: Any, tolerance: dict[str, Any], named: Callable[[Path], str] = part_name
) -> tuple[list[Facing], str]:
    """Every part of a result beside the reference's; or none, and in words how the structures differ."""
    ours, theirs = list(whole(result)), list(whole(reference))
    if _paths(ours) == _paths(theirs):
        pairs = [(path, one, other) for (path, one), (_, other) in zip(ours, theirs, strict=True)]
    else:
        pairs = [((), result, reference)]
    facing: list[Facing] = []
    for path, one, other in pairs:
        if type(one) in PLAIN and type(other) in PLAIN:
            facing.append(Facing(path, one, other, *tolerance_for(tolerance, one)))
            continue
        mine, right = _parts(path, one, other)
        if _paths(mine) != _paths(right):
            return [], f"has {_names(mine, right, named)}, the reference {_names(right, mine, named)}"
        found = [
            Facing(place, a, b, *tolerance_for(tolerance, a)) for (place, a), (_, b) in zip(mine, right, strict=True)
        ]
        if is_tensor(one) and one.is_quantized:
            found = [pair._replace(quantised=one) for pair in found]
        if isinstance(one, Settings):
            found = [pair._replace(rtol=SETTING if pair.rtol else 0.0, atol=0.0) for pair in found]
        facing += _at_their_scale(found) if is_stateful(one) and is_stateful(other) else found
    facing = _joined(facing)
    return [_scaled(pair) for pair in facing] if tolerance.get(SCALED) else facing, ""


def _scaled(pair: Facing) -> Facing:
    """`atol` times the RMS of the reference; training state has a scale of its own."""
    return pair if pair.of_state or not pair.atol else pair._replace(atol=pair.atol * scale(pair.theirs))


def scale(leaf: Any) -> float:
    """The root mean square of finite values; 1 if all are zero."""
    if not is_numeric(leaf) or not size(leaf):
        return 1.0
    pieces = (_nan_to_num(_abs(_wide(piece)), 0.0, 0.0, 0.0) for piece in _pieces(plain(leaf)))
    with _no_grad():
        return math.hypot(*(float(_norm(piece)) for piece in pieces)) / math.sqrt(size(leaf)) or 1.0


def _joined(facing: list[Facing]) -> list[Facing]:
    """Many numbers of Python in a list, or in a column of rows, as one array: compared together, as a tensor's are."""
    if len(facing) < MANY_NUMBERS:
        return facing
    columns: dict[Any, list[Facing]] = {}
    for at, pair in enumerate(facing):
        kinds = type(pair.ours), type(pair.theirs)
        place = tuple("*" if name.isdigit() else name for name in pair.path) if NUMBERS.issuperset(kinds) else at
        columns.setdefault((kinds, place), []).append(pair)
    return [pair for own in columns.values() for pair in (_column(own) if len(own) >= MANY_NUMBERS else own)]


def _column(own: list[Facing]) -> list[Facing]:
    ours, theirs = (numpy.array([pair[at] for pair in own]) for at in (1, 2))
    if ours.dtype.hasobject or theirs.dtype.hasobject:  # whole numbers of more than 64 bits
        return own
    same = takewhile(lambda names: names[0] == names[1], zip(own[0].path, own[-1].path, strict=True))
    return [own[0]._replace(path=tuple(name for name, _ in same), ours=ours, theirs=theirs, of_python=True)]


def _parts(path: Path, one: Any, other: Any) -> tuple[list[tuple[Path, Any]], list[tuple[Path, Any]]]:
    if is_sparse(one) or is_sparse(other):
        entries = _entries(one), _entries(other)
        if None not in entries and entries[0][0] == entries[1][0]:
            return _on_common_places(path, *entries)
    return list(leaves(one, path)), list(leaves(other, path))


def _on_common_places(path: Path, *entries: tuple) -> tuple[list[tuple[Path, Any]], list[tuple[Path, Any]]]:
    """Sparse values over all places that either of them stores: what is not stored is zero."""
    shape, device = entries[0][0], entries[0][2].device
    keys = [_keys(shape, _to(places, device)) for _, places, _ in entries]
    common = _unique(_cat(keys))
    found = []
    for own, (_, _, values) in zip(keys, entries, strict=True):
        spread = torch.zeros((len(common), *values.shape[1:]), dtype=values.dtype, device=device)
        spread[_searchsorted(common, own)] = _to(values, device)
        found.append([((*path, "indices"), common), ((*path, sparse_name(shape)), spread)])
    return found[0], found[1]


def _entries(leaf: Any) -> Any:
    """Shape, places and numbers of a sparse leaf, or of a dense one that is held against it."""
    if not (is_sparse(leaf) or is_dense(leaf)):
        return None
    shape, places, values = sparse_entries(leaf if is_sparse(leaf) else plain(leaf).to_sparse())
    return shape, _to(plain(places), torch.int64), plain(values)


def _keys(shape: tuple[int, ...], places: Any) -> Any:
    """One number for each place."""
    keys = torch.zeros(places.shape[1], dtype=torch.int64, device=places.device)
    for length, row in zip(shape, places, strict=False):
        keys = keys * length + row
    return keys


def _at_their_scale(facing: list[Facing]) -> list[Facing]:
    """Parts of training state, with `atol` times the RMS of each: second moments are small where weights are not.

    In some parts all terms cancel, as in the gradient of a bias before a softmax: what is left is the rounding of terms
    as large as those of other parts of that kind. Where no value of a kind is below zero, they are squares or may be:
    terms cancel before they are squared.
    """
    norms = {at: _norm_of(pair.theirs) for at, pair in enumerate(facing) if is_floating_or_complex(pair.theirs)}
    kinds: dict[str, list[int]] = {}
    for at in norms:
        kinds.setdefault(facing[at].path[-1].rpartition(".")[2], []).append(at)
    for places in kinds.values():
        number = sum(size(facing[at].theirs) for at in places)
        squares = all(_is_never_negative(facing[at].theirs) for at in places)
        scale = math.hypot(*(norms[at] for at in places)) / math.sqrt(max(1, number))
        for at in places:
            pair, own = facing[at], norms[at] / math.sqrt(max(1, size(facing[at].theirs)))
            lost = honest_rounding(rounding(pair.ours))
            floor = 2 * lost * math.sqrt(own * scale) + lost**2 * scale if squares else lost * scale
            atol = min(pair.atol, max(pair.atol * own, floor))
            facing[at] = pair._replace(atol=atol, cancelled=scale if 0 < own <= floor else 0.0)
    return [pair._replace(of_state=True) for pair in facing]


def _is_never_negative(leaf: Any) -> bool:
    values = plain(leaf)
    return not values.is_complex() and all(float(_min(_wide(piece))) >= 0 for piece in _pieces(values))


def _norm_of(leaf: Any) -> float:
    pieces = (float(_norm(_wide(piece))) for piece in _pieces(plain(leaf)))
    return math.hypot(*pieces)


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
    if not (is_numeric(leaf) and is_numeric(model)):
        return leaf
    if is_tensor(model):
        values = plain(leaf)
        rounds = values.is_floating_point() and not (model.is_floating_point() or model.is_complex())
        return _to(_round(values) if rounds else values, model.dtype)
    values = plain(leaf).cpu()
    value = (_wide(values) if values.is_floating_point() else values).numpy()
    if _of_numpy(model):
        rounds = value.dtype.kind in "fc" and model.dtype.kind in "iu"
        return (numpy.rint(value) if rounds else value).astype(model.dtype)
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
    exact = (is_tensor(leaf) or _of_numpy(leaf)) and not is_floating_or_complex(leaf)
    exact = exact or isinstance(leaf, (bool, int))
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
    if _of_ml_dtypes(leaf):
        return _ml_spacing(leaf)
    return torch.finfo(leaf.dtype).eps if is_tensor(leaf) else float(numpy.finfo(leaf.dtype).eps)


def is_floating_or_complex(leaf: Any) -> bool:
    return is_floating(leaf) or (is_tensor(leaf) and leaf.is_complex()) or (_of_numpy(leaf) and leaf.dtype.kind == "c")


def is_floating(leaf: Any) -> bool:
    if _of_ml_dtypes(leaf):
        return _ml_spacing(leaf) > 0
    return leaf.is_floating_point() if is_tensor(leaf) else _of_numpy(leaf) and leaf.dtype.kind == "f"


def wide(leaf: Any) -> Any:
    """Numbers of any kind as a tensor in double precision; no gradient is one of zeros."""
    return _wide(plain(0.0 if leaf is None else leaf))


def _leaf_difference(leaf: Any, expected: Any, rtol: float, atol: float) -> Difference:
    if type(leaf) is type(expected) is int and max(abs(leaf), abs(expected)) >= 2**63:  # no tensor holds it
        return Difference() if leaf == expected else _unlike(leaf, expected)
    if is_numeric(leaf) and is_numeric(expected):
        found = _numeric_difference(leaf, expected, rtol, atol)
        digits = isinstance(leaf, (Decimal, Fraction)) and found.max_absolute == rtol == atol == 0
        return _unlike(leaf, expected) if digits and leaf != expected else found
    if _is_no_gradient(leaf, expected) or _is_no_gradient(expected, leaf):
        return Difference()
    leaf, expected = canonical(leaf), canonical(expected)
    if type(leaf) is not type(expected):
        return _differs(f"is {type(leaf).__name__}, the reference {type(expected).__name__}")
    same = same_items(leaf, expected) if is_array(leaf) else leaf == expected
    return Difference() if same else _unlike(leaf, expected)


def _unlike(leaf: Any, expected: Any) -> Difference:
    """Text, dates, sets: equal or not."""
    said = "differs from the reference"
    if not is_array(leaf):
        return _differs(f"{said}: got {shown(leaf)}, expected {shown(expected)}")
    if leaf.shape != expected.shape:
        return _differs(f"has shape {leaf.shape}, the reference {expected.shape}")
    ours, theirs = leaf.reshape(-1), expected.reshape(-1)
    apart = [at for at in range(leaf.size) if not same_items(ours[at : at + 1], theirs[at : at + 1])]
    if not apart:
        return _differs(said)
    first, values = apart[0], f"got {shown(ours[apart[0]])}, expected {shown(theirs[apart[0]])}"
    return _differs(f"differs in {count_of(len(apart), leaf.size)}; the first{place_in(leaf.shape, first)}: {values}")


def _is_no_gradient(one: Any, other: Any) -> bool:
    """None beside zeros: the same gradient. A result that is None is found where its type is held to the baseline's."""
    return one is None and is_tensor(other) and int(_count(plain(other))) == 0


def same_items(ours: Any, theirs: Any) -> bool:
    """Are two arrays of text, dates or objects equal? A missing date is equal to itself."""
    if ours.shape != theirs.shape:
        return False
    if ours.dtype.kind == theirs.dtype.kind == "O":
        return ours.tolist() == theirs.tolist()  # a list asks first whether it is the same object
    if ours.dtype.kind == theirs.dtype.kind and ours.dtype.kind in "mM":
        return bool(numpy.all((ours == theirs) | (numpy.isnat(ours) & numpy.isnat(theirs))))
    return numpy.array_equal(ours, theirs)


def _numeric_difference(leaf: Any, expected: Any, rtol: float, atol: float) -> Difference:
    ours, theirs = plain(leaf), plain(expected)
    if tuple(ours.shape) != tuple(theirs.shape):
        return _differs(f"has shape {tuple(ours.shape)}, the reference {tuple(theirs.shape)}")
    if ours.numel() == 0:
        return Difference()
    with _no_grad():
        whole_numbers = ours.dtype == theirs.dtype and not (ours.is_floating_point() or ours.is_complex())
        if whole_numbers and _equal(ours, _to(theirs, ours.device)):
            return Difference()
        found = _by_pieces(ours, theirs, rtol, atol)
    if whole_numbers and found.max_absolute == 0:
        return _differs("differs from the reference in whole numbers beyond 2**53")
    return found


def _by_pieces(ours: Any, theirs: Any, rtol: float, atol: float) -> Difference:
    """Piece by piece, as results are large and caches are not.

    A difference is finite where both values are, and the largest of many is NaN where one of them is: only a piece
    whose largest difference is not finite has to be searched for NaN and infinity.
    """
    share = worst = 0.0
    begin = beyond = place = 0
    norms = []
    for one, other in zip(_pieces(ours), _pieces(theirs, ours.device), strict=True):
        mine, right = _wide(one), _wide(_to(other, one.device))
        apart = _abs(_sub(mine, right))
        most = float(_max(apart))
        if not math.isfinite(most):
            mine, right, problem, at = _without_odd(mine, right)
            if problem:
                return _differs(
                    f"{problem}, first{place_in(ours.shape, begin + at)}: {got_and_expected(ours, theirs, begin + at)}"
                )
            apart = _abs(_sub(mine, right))
            most = float(_max(apart))
        if most > 0:
            allowed = _abs(right)
            most_share, count, at = _shares(apart, _add(_mul(allowed, rtol, out=allowed), atol, out=allowed))
            if most_share > share or (math.isinf(most_share) and most > worst):
                share, place = most_share, begin + at
            beyond += count
        worst = max(worst, most)
        norms.append((float(_norm(apart)), float(_norm(right))))
        begin += one.numel()
    problem = "" if share <= 1.0 else told(ours, theirs, place, beyond, times_tolerance(share, rtol, atol))
    return _judged(share, worst, norms, problem, beyond / ours.numel())


def _judged(share: float, worst: float, norms: list[tuple[float, float]], problem: str, wrong: float) -> Difference:
    apart, reference = (math.hypot(*parts) for parts in zip(*norms, strict=True))
    return Difference(_relative(apart, reference), worst, share, problem, (Part(apart, reference),), wrong)


def _pieces(tensor: Any, device: Any = None) -> Iterator[Any]:
    """As large as they are on `device`, the tensor's own unless named."""
    flat, count = _reshape(tensor, (-1,)), tensor.numel()
    step = PIECE if (device or tensor.device).type == "cpu" else DEVICE_PIECE
    return (_narrow(flat, 0, begin, min(step, count - begin)) for begin in range(0, count, step))


def _without_odd(ours: Any, theirs: Any) -> tuple[Any, Any, str, int]:
    """Equal infinities and NaNs set to zero on both sides, so that the rest can be compared; or what is wrong where."""
    missing, given = _isnan(theirs), _isnan(ours)
    if not _equal(given, missing):
        at = _first(given != missing)
        what = "has NaN where the reference has none" if bool(given[at]) else "has no NaN where the reference has one"
        return ours, theirs, what, at
    odd = _isinf(theirs) | missing
    if bool(_any(_isinf(ours) & ~odd)) or not _equal(
        _where(_isinf(theirs), theirs, 0.0), _where(_isinf(ours), ours, 0.0)
    ):
        moved = (_isinf(ours) | _isinf(theirs)) & (ours != theirs)
        return ours, theirs, "has infinities in other places than the reference", _first(moved)
    return _where(odd, 0.0, ours), _where(odd, 0.0, theirs), "", 0


def _first(marked: Any) -> int:
    return int(_nonzero(marked)[0, 0])


def _shares(apart: Any, allowed: Any) -> tuple[float, int, int]:
    """The worst share of what is allowed, how many are above 1, and where the worst is.

    Nothing allowed and nothing apart is right.
    """
    share = _where(apart > 0, _div(apart, allowed), 0.0)
    worst = float(_max(share))
    if worst <= 1.0:
        return worst, 0, 0
    return worst, int(_count(share > 1.0)), int(_argmax(apart if math.isinf(worst) else share))


def _relative(norm_apart: float, norm_reference: float) -> float:
    if norm_apart == 0:
        return 0.0
    return norm_apart / norm_reference if norm_reference > 0 else math.inf


def plain(leaf: Any) -> Any:
    """Numbers as tensors that hold all their digits: torch would make float32 of a float, and knows no long double."""
    if is_tensor(leaf):
        return _detach(leaf)
    values = numpy.asarray(float(leaf) if isinstance(leaf, (Decimal, Fraction)) else leaf)
    if values.dtype == numpy.longdouble or _of_ml_dtypes(values):
        values = values.astype("float64")
    strange = any(step < 0 or step % values.itemsize for step in values.strides)  # torch has no such steps
    return _as_tensor(values.copy() if strange else values)


def _of_numpy(leaf: Any) -> bool:
    return is_array(leaf) or isinstance(leaf, numpy.generic)


def _wide(tensor: Any) -> Any:
    return _to(tensor, torch.complex128 if tensor.is_complex() else torch.float64)


def _of_ml_dtypes(leaf: Any) -> bool:
    """Numbers in a type that numpy itself does not know, such as bfloat16."""
    return _of_numpy(leaf) and leaf.dtype.kind == "V" and leaf.dtype.type.__module__.startswith("ml_dtypes")


def _ml_spacing(leaf: Any) -> float:
    """Next to 1; 0 for whole numbers."""
    try:
        return float(sys.modules["ml_dtypes"].finfo(leaf.dtype).eps)
    except ValueError:
        return 0.0


def is_numeric(leaf: Any) -> bool:
    if is_tensor(leaf) or _of_numpy(leaf):
        return is_tensor(leaf) or leaf.dtype.kind in "biufc" or _of_ml_dtypes(leaf)
    return isinstance(leaf, (bool, int, float, complex, Decimal, Fraction)) and not isinstance(leaf, Enum)


def is_dense(leaf: Any) -> bool:
    """Numbers that lie in memory one by one: not a sparse, nested or quantised tensor."""
    if is_tensor(leaf):
        return leaf.layout == torch.strided and not leaf.is_quantized and not is_nested(leaf)
    return is_array(leaf) and leaf.dtype.kind in "biufc"


def _differs(problem: str) -> Difference:
    return Difference(math.inf, math.inf, math.inf, problem, wrong=1.0)


def _paths(parts: list[tuple[Path, Any]]) -> list[Path]:
    return [path for path, _ in parts]


def _names(parts: list[tuple[Path, Any]], others: list[tuple[Path, Any]], named: Callable[[Path], str]) -> str:
    """Those that the others lack."""
    known = set(_paths(others))
    found = [named(path) or "a single value" for path, _ in parts if path not in known]
    return ", ".join(found[:6]) + (", ..." if len(found) > 6 else "") or "none of them"
