"""Test the checker before trusting it: wrong answers must fail the pair's own tolerance, in every part of a result.

A tolerance that passes zeros or noise proves nothing, and a target with such a tolerance is refused. A control is
caught if most of the elements in which it differs from the right answer are beyond the tolerance. A control that is the
right answer after rounding (the input, for a copy; zeros, if zeros are right) does not apply; at least two must.
Infinities and NaNs stay where the right answer has them: a control must fail by its values and nothing else. Of a
large part a sample is tested, in blocks, so that neighbours stay neighbours.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy
import torch

from perfproof.core.documents import Check
from perfproof.core.tolerance import SCALED
from perfproof.core.trees import count_leaves, is_array, is_tensor, special_leaves
from perfproof.worker.verify.compare import Difference, difference, same_items
from perfproof.worker.verify.numbers import (
    EXACT,
    FINE,
    honest_rounding,
    in_type_of,
    is_numeric,
    plain,
    rounding,
    size,
    wide,
)
from perfproof.worker.verify.side_by_side import side_by_side

LEAST, DRAWS = 2, 4
MIDDLE = 0.01  # share of the values that may lie between two steps of a quantised type
FEWER = 0.25  # of them are enough in training state, where steps are alike: of one length, with two signs
MOST_PARTS = 256  # of a result of very many: texts and small arrays, which are alike
FEW = 32  # elements of a part in which chance decides
MOST, BLOCK = 2**22, 2**12  # elements of a sample, and of each block of it
INPUTS = 8  # arguments that are tried as the answer to a part
NAME = "tolerance can fail"
INPUT, ANOTHER = "the input", "the answer to another draw"
NOISE = "no right answer"
CAUGHT, EQUAL, PASSES = "caught", "equal", "passes"
Judged = tuple[str, str, str, Difference]  # control, part of the result, verdict, how far off


@dataclass(frozen=True)
class Tested:
    """A part of an answer, or a sample of it: as expected, and in the type of a real output."""

    name: str
    place: str  # in what holds it: its name, or its number in a list
    shape: tuple[int, ...]  # of all of it
    expected: Any
    right: Any
    tolerance: dict[str, float]
    quantised: Any = None  # a real output, if it is of a quantised type
    of_state: bool = False  # of a module, an optimizer, ...


NONE = "the baseline returns None, so no answer can be checked"


def test_the_checker(
    draws: Iterable[tuple[Any, tuple, Any]],
    tolerance: dict[str, Any],
    another: Callable[[], Any] | None = None,
    agree: Callable[[float], float] = float,
) -> Check:
    """Of each draw: the expected answer, the arguments, and a real output, in whose types controls are made.

    Further draws are looked at while too few controls apply: now and then the right answer is an empty list. `another`
    gives the expected answer to another draw; `agree` is the largest value of all ranks.
    """
    caught: dict[str, None] = {}
    spared: dict[str, None] = {}
    passing, problem = None, ""
    for expected, arguments, example in draws:
        parts, problem = _tested(expected, example, tolerance)
        judged = list(_made(parts, arguments))
        if another and not agree(_passing(judged) is not None):  # ranks go on together
            judged += _drawn(parts, another, agree, declared=SCALED not in tolerance)
        for name, _, verdict, _ in judged:
            (caught if verdict == CAUGHT else spared)[name] = None
        passing = _passing(judged)
        if agree(passing is not None) or not agree(len(caught) < LEAST):
            break
    if passing is not None:
        return _failed(*passing)
    if len(caught) < LEAST:
        if expected is None:
            return Check(
                name=NAME, result="fail", detail=f"{NONE}: return its result, or name what it changes in `mutates`"
            )
        named = f" ({', '.join(caught)})" if caught else ""
        few = f"the baseline {problem}" if problem else f"only {len(caught)} wrong answers apply{named}"
        return Check(name=NAME, result="fail", detail=f"{few}: return more than a constant or the input")
    spared = {name: None for name in spared if name not in caught}
    detail = f"caught: {', '.join(caught)}" + (f"; not applicable: {', '.join(spared)}" if spared else "")
    return Check(name=NAME, result="pass", detail=detail)


def _passing(judged: list[Judged]) -> Judged | None:
    return next((one for one in judged if one[2] == PASSES), None)


def _tested(expected: Any, example: Any, tolerance: dict[str, Any]) -> tuple[list[Tested], str]:
    """What controls are made of.

    Where only rounding is left of a part of training state, nothing can be told apart. A step moves a state by little:
    in a part of few elements half of them may hardly move by chance, so the larger parts are asked.
    """
    facing, problem = side_by_side(example, expected, tolerance)
    most = max((size(pair.theirs) for pair in facing if pair.of_state), default=0)
    found = []
    for pair in facing:
        if (
            pair.cancelled
            or pair.used_up
            or pair.hidden
            or pair.loose is not None
            or (pair.of_state and size(pair.theirs) < min(FEW, most))
        ):
            continue
        one, model = _sample(pair.theirs), _sample(pair.ours)
        allowed = dict(rtol=pair.rtol, atol=pair.atol)
        right = in_type_of(one, model)
        place = pair.path[-1] if pair.path else ""
        found.append(Tested(pair.name, place, _shape(pair.theirs), one, right, allowed, pair.quantised, pair.of_state))
    return found[:: -(-len(found) // MOST_PARTS) or 1], problem


def _sample(leaf: Any) -> Any:
    if size(leaf) <= MOST:
        return leaf
    flat, blocks = leaf.reshape(-1), MOST // BLOCK
    step = (size(leaf) - BLOCK) // (blocks - 1)
    pieces = [flat[at * step : at * step + BLOCK] for at in range(blocks)]
    return numpy.concatenate(pieces) if is_array(leaf) else torch.cat(pieces)


def _made(parts: list[Tested], arguments: tuple) -> Iterator[Judged]:
    """Controls that are made of the right answer and of the arguments."""
    given = list(special_leaves(arguments))
    plain_numbers = count_leaves(arguments) - len(given)
    terms = plain_numbers + sum(size(leaf) for _, leaf in given)
    alike: dict[tuple[int, ...], list[tuple[Any, Any]]] = {}
    for path, leaf in given:
        if _is_row(leaf):
            alike.setdefault(_shape(leaf), []).append((path, leaf))
    for part in parts:
        near = sorted(alike.get(part.shape, ()), key=lambda one, part=part: one[0][-1:] != (part.place,))  # type: ignore[misc]
        for name, control in wrong_answers(part.right, (_sample(leaf) for _, leaf in near[:INPUTS])):
            if name == INPUT and part.quantised is not None and _rounds_to(control, part):
                yield name, part.name, EQUAL, Difference()
            else:
                yield name, part.name, *judge(control, part, None if name == INPUT else terms)


def _rounds_to(values: Any, part: Tested) -> bool:
    """Are these values the answer, once they are rounded to its quantised type? Few lie in the middle of two steps."""
    model = part.quantised
    if model.qscheme() != torch.per_tensor_affine:
        return False
    found = torch.quantize_per_tensor(plain(values).float(), model.q_scale(), model.q_zero_point(), model.dtype)
    return _share_differing(found.dequantize(), part.right) < MIDDLE


def _drawn(parts: list[Tested], another: Callable[[], Any], agree: Callable, declared: bool) -> Iterable[Judged]:
    """The answer to another draw as a control; if it passes, to some more, as two may be alike by chance.

    Steps from equal beginnings (the weights of a norm) may end alike in any two draws, so a part of training state may
    pass if most of the state is caught. So may any part if no tolerance is `declared` that could be tightened: the
    gradient of a bias may hardly know its batch. Every part has to fail as zeros, as noise and as it was before.
    """
    found: dict[int, Judged] = {}
    is_training = any(part.of_state for part in parts)
    for _ in range(DRAWS):
        answer = another()
        answers = {pair.name: pair.ours for pair in side_by_side(answer, answer, EXACT)[0]}
        for at, part in enumerate(parts):
            if is_training and not part.of_state and not part.shape:
                continue  # a loss: batches are alike in it, and the state tells them apart
            alike = part.name in answers and _shape(answers[part.name]) == part.shape
            if alike and (at not in found or found[at][2] == PASSES):
                control = in_type_of(_sample(answers[part.name]), part.right)
                found[at] = (ANOTHER, part.name, *judge(control, part))
        if not agree(any(verdict == PASSES for _, _, verdict, _ in found.values())):
            break
    spared = [at for at in found if parts[at].of_state or not declared]
    told = sum(size(parts[at].right) for at in spared if found[at][2] == CAUGHT)
    if 2 * told > sum(size(parts[at].right) for at in spared):
        for at in spared:
            control, name, verdict, apart = found[at]
            found[at] = control, name, EQUAL if verdict == PASSES else verdict, apart
    return found.values()


def judge(control: Any, part: Tested, terms: int | None = None) -> tuple[str, Difference]:
    """Is the control caught?

    With `terms`, a control that rounding alone explains in sums of so many terms is as good as equal: a running sum of
    a million elements is next to its neighbours, and no tolerance could tell them apart.
    """
    right = part.right
    apart, differing = difference(control, part.expected, part.tolerance), _share_differing(control, right)
    if differing == 0:
        return EQUAL, apart
    if apart.wrong > differing * (FEWER if part.of_state else 0.5):
        return CAUGHT, apart
    if terms is not None:
        spacing = rounding(right)
        close = 8 * honest_rounding(spacing, terms) if spacing < FINE else 2 * spacing
        if difference(control, right, dict(rtol=close, atol=0.0)).wrong <= differing / 2:
            return EQUAL, apart
    return PASSES, apart


def wrong_answers(right: Any, inputs: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Wrong values for one part of a result; `inputs` are arguments of its shape."""
    if isinstance(right, numpy.generic) and is_numeric(right):
        for name, wrong in wrong_answers(numpy.asarray(right), inputs):
            yield name, wrong[()]
    elif _is_row(right):
        yield "zeros", _on_finite(right, torch.zeros_like)
        yield "noise", _on_finite(right, _inverted if _is_truth(right) else _noise)
        if size(right) > 1:
            yield (
                "shuffled",
                _on_finite(right, lambda values: values[torch.randperm(len(values), device=values.device)]),
            )
            yield "off by one tile", _on_finite(right, lambda values: values.roll(32 if len(values) > 64 else 1))
        for one in inputs:
            yield INPUT, in_type_of(one, right)
    elif is_numeric(right):
        yield "zeros", type(right)(0)
        yield "noise", not right if isinstance(right, bool) else right * type(right)(3) / 2 + 1
    elif is_array(right):
        yield "zeros", numpy.zeros_like(right)
        yield "shuffled", numpy.roll(right, 1)
    elif isinstance(right, (str, bytes, set, frozenset)):
        yield "zeros", type(right)()
        yield "noise", right * 2 if isinstance(right, (str, bytes)) else type(right)({NOISE})
    elif right is not None:  # equal or not: anything else is caught
        yield "zeros", None
        yield "noise", NOISE


def _failed(name: str, path: str, _: str, apart: Difference) -> Check:
    where = f" for part {path}" if path else ""
    worst = f"worst difference {apart.max_absolute:.3g} is {apart.of_tolerance:.2g} of the tolerance"
    worst += f", and {1 - apart.wrong:.0%} of its elements are within it"
    remedy = "tighten rtol and atol to the rounding of the output's type"
    remedy += ", or draw values that change the answer" if name == ANOTHER else ""
    return Check(name=NAME, result="fail", detail=f"{name} passes{where}: {worst}; {remedy}")


def _share_differing(control: Any, right: Any) -> float:
    """Share of the elements with another value; NaN is equal to NaN."""
    if not _is_row(right):
        if is_array(right):
            return float(not same_items(control, right))
        return float(control != right and not (control != control and right != right))
    one, other = plain(control), plain(right)
    if other.is_floating_point() and other.element_size() == 1:  # torch cannot compare them
        one, other = wide(one), wide(other)
    other = other.to(one.device)  # an argument may lie elsewhere
    differs = (one != other) & ~(one.isnan() & other.isnan())
    return float(differs.count_nonzero()) / max(1, differs.numel())


def _shape(leaf: Any) -> tuple[int, ...]:
    return tuple(getattr(leaf, "shape", ()))


def _is_row(leaf: Any) -> bool:
    """Numbers in a tensor or an array."""
    return (is_tensor(leaf) or is_array(leaf)) and is_numeric(leaf)


def _on_finite(leaf: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The finite values changed as one row of numbers, everything else as it is."""
    values = wide(leaf).clone().reshape(-1)
    finite = torch.isfinite(values)
    values[finite] = change(values[finite])
    return in_type_of(values.reshape(_shape(leaf)), leaf)


def _noise(values: torch.Tensor) -> torch.Tensor:
    """Random values of the answer's own location and spread: close in every summary, wrong in every element.

    Few values may come close by chance, so of some draws the one that lies farthest is taken.
    """
    if len(values) < 2:
        return values + 1.5 * (values.abs() + 1)
    spread = values.std()
    drawn = values.new_empty(DRAWS if len(values) < FEW else 1, len(values)).normal_()
    noise = drawn * (spread if spread > 0 else 1.0) + values.mean()
    return noise[(noise - values).abs().median(1).values.argmax()]


def _inverted(values: torch.Tensor) -> torch.Tensor:
    return 1 - values


def _is_truth(leaf: Any) -> bool:
    return leaf.dtype == torch.bool if is_tensor(leaf) else leaf.dtype.kind == "b"
