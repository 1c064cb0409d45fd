"""Right wherever the baseline is right: values that `inputs` may never draw, but a caller will.

Floating-point arguments that vary are scaled, shifted, set to zero, tied, given an outlier, put into strided memory.
Sorted values stay sorted and zeros stay zero; what looks like a structure (a mask, whole numbers, a symmetric matrix,
normalised rows) is left alone. A variant fails if the baseline is right there and its own error is far beyond the
tolerance, the baseline's error, and what a rounding of the arguments does to the reference.
"""

import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy
import torch

from perfproof.core.tolerance import SCALED
from perfproof.core.trees import (
    clone,
    is_array,
    is_plain,
    is_stateful,
    is_tensor,
    leaves,
    map_leaves,
    size_in_bytes,
    whole,
)
from perfproof.worker.verify.case import FORMATS, Answer, Case, Contract, attempt
from perfproof.worker.verify.compare import Difference, difference
from perfproof.worker.verify.equal_choices import with_right_places
from perfproof.worker.verify.facing import FARTHER, is_as_few
from perfproof.worker.verify.numbers import (
    honest_rounding,
    is_dense,
    is_floating,
    is_floating_or_complex,
    is_numeric,
    pieces,
    rounding,
    scale,
    size,
    tolerance_for,
    wide,
)
from perfproof.worker.verify.outputs import same_bits
from perfproof.worker.verify.shown_inputs import inputs_shown
from perfproof.worker.verify.side_by_side import parts_beside
from perfproof.worker.verify.sway import nudged_answers
from perfproof.worker.verify.training_state import used_up_gradients

NAME = "right at extremes"
REMEDY = "compute what the baseline computes, or declare the `domain` of the argument with the reason in a comment"
STRIDED, TIES, OUTLIER = "in strided memory", ("all zero", "tied"), "with one outlier"
FAR = 1024.0  # a power of two: no digit is lost
CLEARLY = 16.0  # times what is allowed, so that no rounding is taken for an error
NEARLY_RIGHT = 2.0**-5  # relative error up to which a baseline outside its tolerance still has the answer
ROUNDINGS = (1.0, 1.0, 2.0, 2.0)  # that arguments are moved by: one try may miss the element that a chain of them turns
NUDGE = 2.0**-36  # of the largest value: breaks ties, in double precision
FEW = 16  # distinct values of a mask or a flag
SAMPLE, SMALL_BYTES = 2**16, 2**26
MOST_SECONDS, AGAIN_SECONDS = 20.0, 3.0

Change = Callable[[torch.Tensor, float], torch.Tensor]  # values in double precision, spacing of their type


def check(case: Case, first: bool = True) -> tuple[str, str, list[str]]:
    """The first problem, what was tried, and what is only said. After the `first` size only what takes little time."""
    contract = case.contract
    notes: list[str] = []
    tried: list[str] = []
    (_, baseline), *variants = case.sides.items()
    parts = difference(case.example, case.expected, contract.tolerance, case.arguments).parts
    floors = [max(honest_rounding(part.spacing), 2 * contract.spacing) for part in parts]
    started, most_seconds = time.perf_counter(), MOST_SECONDS if first else AGAIN_SECONDS
    strided = [(STRIDED, case.arguments)] if first else []  # what is compiled would be compiled anew
    for what, values in chain(transformed(case.arguments, contract), strided):
        if case.anywhere(time.perf_counter() - started > most_seconds):
            only = f"only these changes of the drawn values were tried: {', '.join(tried)}"
            notes.append(f"calls are long, so {only}; give `smoke` sizes")
            break
        if case.anywhere(isinstance(values, Exception)):
            notes.append(f"values {what} were not tried: memory has no room for them beside the drawn ones")
            continue
        right = case.expected if what == STRIDED else _answer(case, values)
        if case.anywhere(isinstance(right, Exception) or (is_finite(case.expected) and not is_finite(right))):
            continue  # outside the domain of the function itself
        lay = partial(_strided, contract=contract) if what == STRIDED else contract.copied
        usual = attempt(baseline, lay(values))
        if case.anywhere(isinstance(usual, Exception)):
            continue
        tried.append(what)
        allowed = allowances(right, case, floors)
        for side, call in variants:
            found, who = attempt(call, lay(values)), f"{side} with values {what}"
            if case.anywhere(isinstance(found, Exception)):
                raised = f"{who} raises {type(found).__name__}, the baseline does not"
                if what != STRIDED:
                    return f"{raised}: {REMEDY}", "", notes
                notes.append(raised)
                continue
            apart = errors(with_right_places(found, right, contract, values, baseline), right, allowed)
            wrong = wrong_parts(apart, errors(usual, right, allowed))
            if case.anywhere(wrong) and what != STRIDED:
                moved = [ordered(values, case.arguments, way) for way in (1.0, -1.0)]
                moved += [] if what in TIES else [nudged(values, contract.spacing, times) for times in ROUNDINGS]
                near = [attempt(case.answer, one) for one in moved]
                wrong = [at for at in wrong if not explained(found, right, near, allowed, at, values)]
            if wrong and (answers := nudged_answers(baseline, contract, values)):
                swayed = [errors(one, answers[0], allowed) for one in answers[1:]]
                wrong = [at for at in wrong if not _is_swayed(apart[at], [one[at] for one in swayed])]
            if case.anywhere(wrong):
                given = inputs_shown(contract.names, values, right[0], apart[wrong[0]].problem) if wrong else ""
                problem = f"{who} {apart[wrong[0]].problem}{given}, the baseline is right: {REMEDY}" if wrong else ""
                return problem, f"{who}: wrong on another rank", notes
    return "", f"values {', '.join(tried)}", notes


def _is_swayed(apart: Difference, near: list[Difference]) -> bool:
    """After a training step: does rounding alone move as much of this part as far, in the baseline?"""
    reach = max(one.max_absolute for one in near)
    return is_as_few(apart.wrong, max(one.wrong for one in near)) and apart.max_absolute <= FARTHER * reach


def transformed(arguments: tuple, contract: Contract) -> Iterator[tuple[str, Any]]:
    """Every change of the arguments that leaves none out of its domain or out of the range of its type.

    In place of the arguments the error, if memory has no room for changed ones.
    """
    for what, change in CHANGES.items():
        try:
            changed = tuple(
                _on_floats(value, partial(_changed, change, contract, contract.domain.get(name)))
                if contract.is_free(name)
                else value
                for name, value in zip(contract.names, arguments, strict=True)
            )
        except torch.OutOfMemoryError as error:
            yield what, error.with_traceback(None)  # whose frames hold what was made so far
            continue
        if not same_bits(changed, arguments):
            yield what, changed


def nudged(arguments: tuple, spacing: float, roundings: float = 1.0) -> tuple:
    """Moved by a rounding, or some, at random; the reference gets them in double precision."""

    def nudge(x: torch.Tensor, own: float) -> torch.Tensor:
        return x + roundings * max(spacing, own) * x.abs() * (2 * torch.rand_like(x) - 1)

    return _in_double(arguments, nudge)


def ordered(arguments: tuple, drawn: tuple, way: float) -> tuple:
    """Ties broken by place, upwards or downwards, by next to nothing of what was drawn."""

    def order(x: torch.Tensor, _: float) -> torch.Tensor:
        places = torch.arange(1, x.numel() + 1, dtype=x.dtype, device=x.device).reshape(x.shape)
        step = max(NUDGE * _largest(drawn) / x.numel(), 4 * 2.0**-52 * _largest([x]))  # neighbours must differ
        moved = x + way * step * places
        return moved.abs() if bool((x >= 0).all()) else moved

    return _in_double(arguments, order)


def poked(arguments: tuple) -> tuple:
    """One element of each argument changed, the middle one."""

    def poke(x: torch.Tensor, _: float) -> torch.Tensor:
        flat = x.reshape(-1).clone()
        flat[len(flat) // 2] = 1.5 * flat[len(flat) // 2] + 1
        return flat.reshape(x.shape)

    return _in_double(arguments, poke)


def allowances(right: Answer, case: Case, floors: list[float]) -> list[dict]:
    """The pair's tolerance for each part; `atol` grows with the answer, and rounding is allowed in any case."""
    found, used_up = [], used_up_gradients(case.example, case.expected)
    parts = zip(leaves(right), leaves(case.expected), leaves(case.example), floors, strict=False)
    for (path, new), (_, old), (_, model), floor in parts:
        if path in used_up:
            found.append(dict(rtol=0.0, atol=math.inf))
            continue
        rtol, atol = tolerance_for(case.contract.tolerance, model)
        if case.contract.tolerance.get(SCALED):
            atol *= scale(old)
        if is_numeric(model) and (rtol or atol):
            large, usual = (float(wide(leaf).norm()) / math.sqrt(max(1, size(leaf))) for leaf in (new, old))
            atol = atol * max(1.0, large / usual if usual else 1.0) + floor * large
        found.append(dict(rtol=rtol, atol=atol))
    return found


def errors(result: Answer, right: Answer, allowed: list[dict]) -> list[Difference]:
    """Part by part; if the structure is another one, every part is wrong."""
    ours, theirs = _beside(result, right)
    if not len(ours) == len(theirs) == len(allowed):
        return [Difference(math.inf, math.inf, math.inf, "has other parts than the reference", wrong=1.0)]
    return [
        Difference() if allow["atol"] == math.inf else difference(one, two, allow)
        for (_, one), (_, two), allow in zip(ours, theirs, allowed, strict=True)
    ]


def _beside(result: Answer, right: Answer) -> tuple[list, list]:
    ours, theirs = list(whole(result)), list(whole(right))
    if [path for path, _ in ours] != [path for path, _ in theirs]:
        return list(leaves(result)), list(leaves(right))
    parts = [parts_beside(path, one, two) for (path, one), (_, two) in zip(ours, theirs, strict=True)]
    return [leaf for one, _ in parts for leaf in one], [leaf for _, two in parts for leaf in two]


def wrong_parts(found: list[Difference], usual: list[Difference]) -> list[int]:
    """Parts in which the baseline is right and the variant is far off."""
    return [
        at
        for at, (ours, theirs) in enumerate(zip(found, usual, strict=False))
        if (theirs.of_tolerance <= 1 or theirs.rms_relative <= NEARLY_RIGHT)
        and ours.of_tolerance > CLEARLY * max(1.0, theirs.of_tolerance)
    ]


def explained(found: Answer, right: Answer, near: list, allowed: list[dict], at: int, arguments: tuple) -> bool:
    """Is the error of a part that of a rounding of the arguments, or another choice among equals?

    `near` are answers to arguments with ties broken upwards and downwards, then to some that are rounded. With
    those: is one of them about as far off? If all values are tied, there are two: does the expected answer break
    the ties in one of these ways where the result is wrong?
    """
    lists = [[leaf for _, leaf in leaves(one)] for one in (found, right, *near)]
    if any(isinstance(one, Exception) for one in near) or any(len(one) != len(allowed) for one in lists):
        return False
    ours, expected, *others = (one[at] for one in lists)
    if is_finite(expected) and not is_finite(ours):
        return False
    if len(others) > 2:
        off, *moved = (difference(one, expected, allowed[at]).of_tolerance for one in (ours, *others))
        return off <= CLEARLY * max(moved)
    if not is_numeric(ours) or any(wide(one).shape != wide(ours).shape for one in (expected, *others)):
        return False
    allow = allowed[at] | dict(atol=allowed[at]["atol"] + 4 * NUDGE * _largest([expected]))
    beyond = partial(_beyond, allow)
    wrong, (up, down) = beyond(ours, expected), (beyond(other, expected) for other in others)
    broken = beyond(*others) & ~(up & down)
    return int((wrong & broken).sum()) >= int(wrong.sum()) / 2 or picks_equals(ours, expected, arguments)


def _outlier(x: torch.Tensor, _: float) -> torch.Tensor:
    flat, way = x.reshape(-1).clone(), _sign(x)
    first = bool((way * flat[1:] <= way * flat[:-1]).all())  # at the end towards which sorted values grow
    flat[0 if first else -1] = way * FAR * _greatest(flat)
    return flat.reshape(x.shape)


def _spread(x: torch.Tensor) -> torch.Tensor:
    """The standard deviation of what is finite and not zero; of a sample if there are many values."""
    some = _some(x)
    return some[some.isfinite() & (some != 0)].std()


def _some(x: torch.Tensor) -> torch.Tensor:
    """Values in even steps: a mask of all would take twice the memory of the values again, for their places.

    The step has no divisor in common with a length, so that no column is left out.
    """
    flat = x.reshape(-1)
    step = max(1, len(flat) // SAMPLE)
    while math.gcd(step, len(flat)) > 1:
        step += 1
    return flat[::step]


def _greatest(x: torch.Tensor) -> float:
    """The largest size of a finite value."""
    return max((float(part.nan_to_num(0.0, 0.0, 0.0).abs().max()) for part in pieces(x)), default=0.0)


def _sign(x: torch.Tensor) -> int:
    """Values of one sign keep it."""
    return -1 if bool((x <= 0).all()) else 1


def _far(x: torch.Tensor, spacing: float) -> torch.Tensor:
    return x + _sign(x) * _spread(x) / math.sqrt(8 * spacing)  # half their digits left


def _all_but_the_first(x: torch.Tensor, spacing: float) -> torch.Tensor:
    """What a look at one row says of the others."""
    moved = _far(x, spacing)
    if x.ndim > 1:
        moved[0] = x[0]
        return moved
    return x


CHANGES: dict[str, Change] = {
    f"{FAR:g} times as large": lambda x, _: x * FAR,
    f"{FAR:g} times as small": lambda x, _: x / FAR,
    "far from zero": _far,
    "far from zero in all rows but the first": _all_but_the_first,
    TIES[0]: lambda x, _: torch.zeros_like(x),
    TIES[1]: lambda x, _: ((x / _spread(x)).floor() + 0.5) * _spread(x),
    OUTLIER: _outlier,
}


def _changed(change: Change, contract: Contract, domain: Any, leaf: Any) -> Any:
    x, spacing = wide(leaf), max(rounding(leaf), contract.spacing)
    if not _is_free(x, rounding(leaf)):
        return leaf
    moved = torch.where(x == 0, x, change(x, spacing))
    if domain:
        moved = moved.clamp(*domain)
    largest = max(_greatest(x), math.sqrt(FORMATS.get(contract.lowers_precision, (0, 1e300))[1]))
    most = float((torch.finfo if is_tensor(leaf) else numpy.finfo)(leaf.dtype).max)
    if _greatest(moved) > min(largest, most):  # products would leave the range of the format
        return leaf
    if is_array(leaf):
        return moved.numpy().astype(leaf.dtype)
    return moved.to(leaf.dtype).requires_grad_(leaf.requires_grad)


def _is_free(x: torch.Tensor, spacing: float) -> bool:
    """May other values stand here, as far as can be seen?"""
    values = _some(x)
    values = values[values.isfinite()]
    if values.unique().numel() <= max(2, min(FEW, len(values) // 2)) or bool((values == values.round()).all()):
        return False
    if x.ndim > 1 and x.shape[-1] == x.shape[-2] and torch.equal(x, x.mT):
        return False
    near = max(1e-3, 4 * spacing)
    return not any(bool(((row - 1).abs() < near).all()) for row in (x.sum(-1), x.norm(dim=-1)))


def _answer(case: Case, values: tuple) -> Any:
    """On a GPU an index out of range would end the process: small arguments are tried on the CPU first."""
    if case.contract.device != "cpu" and size_in_bytes(values) < SMALL_BYTES:
        own = (clone(value).cpu() if isinstance(value, torch.nn.Module) else value for value in values)
        there = tuple(v if is_stateful(v) else map_leaves(v, lambda x: x.cpu() if is_tensor(x) else x) for v in own)
        found = attempt(case.answer, there, "cpu")
        if case.anywhere(isinstance(found, IndexError) or "out of bounds" in str(found)):
            return IndexError("out of range")
    return attempt(case.answer, values)


def _in_double(arguments: tuple, change: Change) -> tuple:
    def changed(leaf: Any) -> Any:
        x = change(wide(leaf), rounding(leaf))
        return x.numpy() if is_array(leaf) else x

    return tuple(_on_lists(value, changed) or _on_floats(value, changed) for value in arguments)


def _on_lists(value: Any, change: Callable[[Any], Any]) -> Any:
    """A list of numbers of Python, or a list of such lists, changed as the array that it stands for; else None."""
    if type(value) not in (list, tuple) or len(value) < 2:
        return None
    kinds = {*map(type, value)}
    if kinds == {float}:
        return type(value)(change(numpy.array(value)).tolist())
    if not kinds <= {list, tuple}:
        return None
    rows = [_on_lists(one, change) for one in value]
    return None if None in rows else type(value)(rows)


def _on_floats(value: Any, change: Callable[[Any], Any]) -> Any:
    if is_stateful(value):
        return value
    if is_plain(value):
        return clone(value)
    return map_leaves(value, lambda leaf: change(leaf) if _is_plain(leaf) else leaf)


def _is_plain(leaf: Any) -> bool:
    return is_floating(leaf) and is_dense(leaf) and size(leaf) > 1


def _strided(arguments: tuple, contract: Contract) -> tuple:
    """Copies with gaps between the values and NaN in the gaps."""
    own = zip(contract.names, contract.copied(arguments), strict=True)
    return tuple(value if name in contract.constant else _on_floats(value, _with_gaps) for name, value in own)


def _with_gaps(leaf: Any) -> Any:
    if is_array(leaf):
        return numpy.stack([leaf, numpy.full_like(leaf, numpy.nan)], -1)[..., 0]
    gaps = torch.full_like(leaf.detach(), math.nan, memory_format=torch.contiguous_format)
    return torch.stack([leaf.detach(), gaps], -1)[..., 0].requires_grad_(leaf.requires_grad)


def picks_equals(ours: Any, right: Any, arguments: tuple) -> bool:
    """Do two sets of indices pick the same values of an argument?"""
    if is_floating_or_complex(ours):
        return False
    picks = [wide(leaf).long() for leaf in (ours, right)]
    for x in (wide(leaf) for _, leaf in leaves(arguments) if _is_plain(leaf)):
        if x.ndim - picks[0].ndim in (0, 1) and all(bool(((p >= 0) & (p < x.shape[-1])).all()) for p in picks):
            placed = (p.to(x.device).reshape(*p.shape, *([1] * (x.ndim - p.ndim))) for p in picks)
            one, two = (x.take_along_dim(p, -1) for p in placed)
            if torch.equal(one, two):
                return True
    return False


def _largest(value: Any) -> float:
    floats = (wide(leaf) for _, leaf in leaves(value) if is_floating(leaf) and is_dense(leaf) and size(leaf))
    return max(map(_greatest, floats), default=0.0)


def _beyond(allowed: dict, one: Any, other: Any) -> torch.Tensor:
    ours, theirs = wide(one), wide(other).to(wide(one).device)
    return (ours - theirs).abs() > allowed["atol"] + allowed["rtol"] * theirs.abs()


def is_finite(value: Any) -> bool:
    return all(bool(wide(leaf).isfinite().all()) for _, leaf in leaves(value) if is_numeric(leaf))
