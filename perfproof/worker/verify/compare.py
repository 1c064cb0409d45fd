"""Hold a result against the reference: all of it, in double precision, NaN and infinity included.

The torch functions are bound when this module is imported, before any pair is: a pair that patches
`torch.Tensor.sub` or `torch.isclose` patches nothing that is used here.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy
import torch

from perfproof.core.foreign import EXACT as EQUAL
from perfproof.core.tolerance import LOWERED
from perfproof.core.trees import Path, canonical, is_array, is_tensor, special_leaves
from perfproof.worker.verify.facing import Facing, Sways, excused
from perfproof.worker.verify.many_alike import alike, small_floats_of
from perfproof.worker.verify.mismatch import (
    both_shown,
    count_of,
    got_and_expected,
    place_in,
    shown,
    times_tolerance,
    told,
)
from perfproof.worker.verify.numbers import (
    dtype_name,
    is_dense,
    is_floating,
    is_floating_or_complex,
    is_numeric,
    pieces,
    plain,
    rounding,
    size,
    wide_tensor,
)
from perfproof.worker.verify.places import described, place, place_in_answer
from perfproof.worker.verify.side_by_side import side_by_side

_sub, _abs, _mul, _add, _div, _to = torch.sub, torch.abs, torch.mul, torch.add, torch.div, torch._C.TensorBase.to
_isnan, _isinf, _where, _equal, _any = torch.isnan, torch.isinf, torch.where, torch.equal, torch.any
_max, _norm, _no_grad, _stack, _amax = torch.max, torch.linalg.vector_norm, torch.no_grad, torch.stack, torch.amax
_tensor = torch.tensor
_count, _argmax, _nonzero, _reshape = torch.count_nonzero, torch.argmax, torch.nonzero, torch._C.TensorBase.reshape

Where = Callable[[tuple[int, ...], int], str]  # shape and number of an element -> its place in words
SAME_VALUES = (
    "; the numbers that belong to these places agree, so equal or nearly equal values may stand in another order: "
    "break ties the same way on both sides, or return the values alone"
)
QUANTISED = 2.0**-7  # a step of 8 bits, next to 1
# A value next to zero that rounding turns goes another way through a ReLU, and takes a row of a gradient with it.
TURNED, TURNED_RMS = 0.01, 0.02  # share of the elements of a part of training state, and its relative error then
TURNED_LOWERED, TURNED_SPACINGS = 0.2, 8.0  # the same if a lower precision is declared, the error in its spacings


@dataclass(frozen=True)
class Part:
    """One part of a result: the norms of its error and of the reference, and the spacing of its type next to 1."""

    apart: float = 0.0
    reference: float = 0.0
    spacing: float = 2.0**-52
    of_state: bool = False  # of a module, an optimizer, ...

    @property
    def relative(self) -> float:
        return _relative(self.apart, self.reference)

    def pooled(self, other: "Part") -> "Part":
        """Over two calls: a sum that cancels in one of them does not decide alone."""
        norms = math.hypot(self.apart, other.apart), math.hypot(self.reference, other.reference)
        return Part(*norms, max(self.spacing, other.spacing), self.of_state)


@dataclass(frozen=True)
class Difference:
    """How far a result is from the reference; `problem` is empty if it is within tolerance."""

    rms_relative: float = 0.0
    max_absolute: float = 0.0
    of_tolerance: float = 0.0  # worst |difference| / (atol + rtol |reference|)
    problem: str = ""
    parts: tuple[Part, ...] = ()
    wrong: float = 0.0  # share of the elements beyond the tolerance, in the worst part
    untold: tuple[str, ...] = ()  # parts whose gradient is all rounding: they were held against a step, no closer
    other_places: bool = False  # of values that are equal: the reference takes them in no order

    def worse(self, other: "Difference") -> "Difference":
        pooled = (one.pooled(two) for one, two in zip(self.parts, other.parts, strict=False))
        return Difference(
            max(self.rms_relative, other.rms_relative),
            max(self.max_absolute, other.max_absolute),
            max(self.of_tolerance, other.of_tolerance),
            self.problem or other.problem,
            tuple(pooled) or self.parts or other.parts,
            max(self.wrong, other.wrong),
            self.untold or other.untold,
        )


def answer_difference(
    answer: Any, reference: Any, tolerance: dict[str, Any], arguments: Any = (), sways: Sways | None = None
) -> Difference:
    """The difference of two answers, each a result and the arguments that were changed; parts have the user's names.

    `sways` says what rounding alone does to training state.
    """
    found = _difference(answer, reference, tolerance, arguments, place_in_answer, sways)
    if found.problem and answer[0] is None and reference[0] is not None:
        return replace(found, problem=f"returns None, expected {described(reference[0])}: is `return` missing?")
    return found


def difference(result: Any, reference: Any, tolerance: dict[str, Any], arguments: Any = ()) -> Difference:
    """The worst difference over all leaves; a different structure is a problem, not an exception.

    A number of Python has no type that says how it was computed: it is taken to be as fine as the `arguments` are.
    """
    return _difference(result, reference, tolerance, arguments, place)


def _difference(
    result: Any,
    reference: Any,
    tolerance: dict[str, Any],
    arguments: Any,
    named: Callable[[Any, Path], str],
    sways: Sways | None = None,
) -> Difference:
    given = [leaf for _, leaf in special_leaves(arguments) if is_floating_or_complex(leaf)]
    of_numbers = max([2.0**-52, *map(rounding, given)])
    facing, problem = side_by_side(result, reference, tolerance, named)
    if problem:
        return _differs(problem)
    worst, parts, untold = Difference(), [], []
    wrong: list[Facing] = []
    facing = [excused(pair, sways) for pair in facing] if sways else facing
    right = _right_at_once(facing)
    for at, pair in enumerate(facing):
        if type(pair.ours) is type(pair.theirs) and type(pair.ours) in EQUAL and pair.ours == pair.theirs:
            parts.append(Part(0.0, 1.0))
            continue
        if pair.used_up:
            parts.append(Part(0.0, 1.0))
            continue
        if pair.loose is not None:
            untold += [named(reference, pair.path)] if not pair.cancelled else []
            pair, problem = _without_loose(pair)
            if problem:
                return _differs(f"{named(reference, pair.path)} {problem}")
        where = partial(_place_of_number, reference, pair.paths, named) if pair.paths else place_in
        one = right.get(at) or _leaf_difference(pair.ours, pair.theirs, pair.rtol, pair.atol, where)
        if pair.of_state and one.problem and _is_turned(one, tolerance.get(LOWERED, 0.0)):
            one = replace(one, problem="", of_tolerance=1.0)
        if one.problem and not wrong and not pair.paths:
            one = replace(one, problem=f"{named(reference, pair.path)} {one.problem}".lstrip())
        wrong += [pair] if one.problem else []
        worst = worst.worse(one)
        part = one.parts[0] if one.parts else Part(one.rms_relative, float(not one.problem))
        if pair.cancelled:
            part = replace(part, reference=pair.kin * math.sqrt(size(pair.theirs)))
        of_python = (pair.of_python and pair.ours.dtype.kind == "f") or type(pair.ours) in (float, complex)
        spacing = QUANTISED if pair.quantised is not None else rounding(pair.ours)
        spacing = of_numbers if of_python else spacing
        parts.append(replace(part, spacing=spacing, of_state=pair.of_state))
    worst = replace(worst, problem=worst.problem + _how_many(wrong, facing) + _in_other_order(wrong, facing))
    return replace(worst, parts=tuple(parts), untold=tuple(untold))


def _right_at_once(facing: list[Facing]) -> dict[int, Difference]:
    """Small tensors of one shape that are within their tolerances, compared together. Of others more is told."""
    found: dict[int, Difference] = {}
    both = [None if pair.loose is not None else (pair.ours, pair.theirs) for pair in facing]
    for places in alike(both, small_floats_of):
        for at, row in zip(places, _rows([facing[at] for at in places]), strict=True):
            worst, share, apart, reference = row
            if share <= 1.0 and math.isfinite(worst) and math.isfinite(reference):
                parts = (Part(apart, reference),)
                found[at] = Difference(_relative(apart, reference), worst, share, parts=parts)
    return found


def _rows(pairs: list[Facing]) -> list[list[float]]:
    """Of each: the largest difference, the largest share of what is allowed, the norms of difference and reference."""
    with _no_grad():
        mine, right = (_reshape(wide_tensor(_stack(side)), (len(pairs), -1)) for side in _sides(pairs))
        limits = _to(_tensor([[pair.rtol, pair.atol] for pair in pairs], dtype=mine.dtype), mine.device)
        right = _to(right, mine.device)
        apart, allowed = _abs(_sub(mine, right)), _add(_mul(_abs(right), limits[:, :1]), limits[:, 1:])
        shares = _where(apart > 0, _div(apart, allowed), 0.0)
        return _stack([_amax(apart, 1), _amax(shares, 1), _norm(apart, dim=1), _norm(right, dim=1)], 1).tolist()


def _sides(pairs: list[Facing]) -> tuple[list[Any], list[Any]]:
    return [plain(pair.ours) for pair in pairs], [plain(pair.theirs) for pair in pairs]


def _how_many(wrong: list[Facing], facing: list[Facing]) -> str:
    """How many values are wrong like the first one, if that is a single value: a text, a number of Python."""
    if not wrong or is_tensor(wrong[0].ours) or is_array(wrong[0].ours):
        return ""
    kind = type(wrong[0].ours)
    found, total = (sum(type(pair.ours) is kind for pair in pairs) for pairs in (wrong, facing))
    return f"; {found:,} of {total:,} values of type {kind.__name__} differ" if total > 1 else ""


def _in_other_order(wrong: list[Facing], facing: list[Facing]) -> str:
    """Whether only places differ, and the values that were found there agree: then they may be equal or nearly so."""
    paths = [pair.path for pair in wrong]
    whole = all(is_dense(pair.theirs) and dtype_name(pair.theirs).startswith(("int", "uint")) for pair in wrong)
    right = [pair.theirs for pair in facing if pair.path not in paths and is_dense(pair.theirs)]
    beside = any(is_floating(one) and wrong and one.shape == wrong[0].theirs.shape for one in right if whole)
    return SAME_VALUES if whole and beside else ""


def _place_of_number(
    reference: Any, paths: tuple[Path, ...], named: Callable[[Any, Path], str], _: tuple[int, ...], at: int
) -> str:
    """Of one of many numbers of Python that are compared together."""
    return f" at {named(reference, paths[at])}"


def _is_turned(one: Difference, lowered: float) -> bool:
    """Few elements of training state are wrong, and by little. In a lower precision these are more."""
    most = TURNED_LOWERED if lowered else TURNED
    return one.wrong <= most and one.rms_relative <= max(TURNED_RMS, TURNED_SPACINGS * lowered)


def _without_loose(pair: Facing) -> tuple[Facing, str]:
    """With the right values for elements that are held against a step; or what is wrong about them."""
    ours, theirs = plain(pair.ours), plain(pair.theirs)
    mask = _to(pair.loose, ours.device)
    right = _to(theirs, ours.device, ours.dtype)
    loose = _leaf_difference(_where(mask, ours, right), right, 0.0, pair.loose_by)
    return pair._replace(ours=_where(mask, right, ours)), loose.problem


def _leaf_difference(leaf: Any, expected: Any, rtol: float, atol: float, where: Where = place_in) -> Difference:
    if type(leaf) is type(expected) is int and max(abs(leaf), abs(expected)) >= 2**63:  # no tensor holds it
        return Difference() if leaf == expected else _unlike(leaf, expected)
    if is_numeric(leaf) and is_numeric(expected):
        found = _numeric_difference(leaf, expected, rtol, atol, where)
        digits = isinstance(leaf, (Decimal, Fraction)) and found.max_absolute == rtol == atol == 0
        return _unlike(leaf, expected) if digits and leaf != expected else found
    if _is_no_gradient(leaf, expected) or _is_no_gradient(expected, leaf):
        return Difference()
    leaf, expected = canonical(leaf), canonical(expected)
    if type(leaf) is not type(expected):
        return _differs(f"is {described(leaf)}, expected {described(expected)}")
    same = same_items(leaf, expected) if is_array(leaf) else leaf == expected
    return Difference() if same else _unlike(leaf, expected)


def _unlike(leaf: Any, expected: Any) -> Difference:
    """Text, dates, sets: equal or not."""
    if not is_array(leaf):
        return _differs(f"is wrong: {both_shown(leaf, expected)}")
    if leaf.shape != expected.shape:
        return _differs(f"has shape {leaf.shape}, expected {expected.shape}")
    ours, theirs = leaf.reshape(-1), expected.reshape(-1)
    apart = [at for at in range(leaf.size) if not same_items(ours[at : at + 1], theirs[at : at + 1])]
    if not apart:
        return _differs("differs")
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


def _numeric_difference(leaf: Any, expected: Any, rtol: float, atol: float, where: Where) -> Difference:
    ours, theirs = plain(leaf), plain(expected)
    if tuple(ours.shape) != tuple(theirs.shape):
        return _differs(f"has shape {tuple(ours.shape)}, expected {tuple(theirs.shape)}")
    if ours.numel() == 0:
        return Difference()
    with _no_grad():
        whole_numbers = ours.dtype == theirs.dtype and not (ours.is_floating_point() or ours.is_complex())
        if whole_numbers and _equal(ours, _to(theirs, ours.device)):
            return Difference()
        found = _by_pieces(ours, theirs, rtol, atol, where)
    if whole_numbers and found.max_absolute == 0:  # beyond 2**53, where double precision has gaps
        apart = _to(theirs, ours.device) != ours
        at = _first(_reshape(apart, (-1,)))
        return _differs(told(ours, theirs, at, where(ours.shape, at), int(_count(apart)), times_tolerance(1.0, 0, 0)))
    return found


def _by_pieces(ours: Any, theirs: Any, rtol: float, atol: float, where: Where) -> Difference:
    """Piece by piece, as results are large and caches are not.

    A difference is finite where both values are, and the largest of many is NaN where one of them is: only a piece
    whose largest difference is not finite has to be searched for NaN and infinity.
    """
    share = worst = 0.0
    begin = beyond = place = 0
    norms = []
    for one, other in zip(pieces(ours), pieces(theirs, ours.device), strict=True):
        mine, right = wide_tensor(one), wide_tensor(_to(other, one.device))
        apart = _abs(_sub(mine, right))
        most = float(_max(apart))
        if not math.isfinite(most):
            mine, right, problem, at = _without_odd(mine, right)
            if problem:
                return _differs(
                    f"{problem}, first{where(ours.shape, begin + at)}: {got_and_expected(ours, theirs, begin + at)}"
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
    problem, times = "", times_tolerance(share, rtol, atol)
    if share > 1.0:
        problem = told(ours, theirs, place, where(ours.shape, place), beyond, times)
    return _judged(share, worst, norms, problem, beyond / ours.numel())


def _judged(share: float, worst: float, norms: list[tuple[float, float]], problem: str, wrong: float) -> Difference:
    apart, reference = (math.hypot(*parts) for parts in zip(*norms, strict=True))
    return Difference(_relative(apart, reference), worst, share, problem, (Part(apart, reference),), wrong)


def _without_odd(ours: Any, theirs: Any) -> tuple[Any, Any, str, int]:
    """Equal infinities and NaNs set to zero on both sides, so that the rest can be compared; or what is wrong where."""
    missing, given = _isnan(theirs), _isnan(ours)
    if not _equal(given, missing):
        at = _first(given != missing)
        what = "has NaN where none is expected" if bool(given[at]) else "has no NaN where one is expected"
        return ours, theirs, what, at
    odd = _isinf(theirs) | missing
    if bool(_any(_isinf(ours) & ~odd)) or not _equal(
        _where(_isinf(theirs), theirs, 0.0), _where(_isinf(ours), ours, 0.0)
    ):
        moved = (_isinf(ours) | _isinf(theirs)) & (ours != theirs)
        return ours, theirs, "has infinities in other places than expected", _first(moved)
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


def _differs(problem: str) -> Difference:
    return Difference(math.inf, math.inf, math.inf, problem, wrong=1.0)
