"""Test the checker before trusting it: wrong answers must fail the pair's own tolerance, in every part of a result.

A tolerance that passes zeros or noise proves nothing, and a target with such a tolerance is refused. A control is
caught if most of the elements in which it differs from the right answer are beyond the tolerance. A control that is the
right answer after rounding (the input, for a copy; zeros, if zeros are right) does not apply; at least two must.
Infinities and NaNs stay where the right answer has them: a control must fail by its values and nothing else.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy
import torch

from perfproof.core.documents import Check
from perfproof.core.trees import is_array, is_tensor, leaves
from perfproof.verify.compare import (
    FINE,
    Difference,
    difference,
    honest_rounding,
    in_type_of,
    is_dense,
    rounding,
    size,
    wide,
)

LEAST, DRAWS = 2, 4
NAME = "tolerance can fail"
INPUT, ANOTHER = "the input", "the answer to another draw"
CAUGHT, EQUAL, PASSES = "caught", "equal", "passes"
Judged = tuple[str, str, str, Difference]  # control, part of the result, verdict, how far off


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
    passing = None
    for expected, arguments, example in draws:
        pairs = zip(leaves(expected), leaves(example), strict=True)
        parts = [(".".join(path), one, in_type_of(one, model)) for (path, one), (_, model) in pairs]
        judged = list(_made(parts, arguments, tolerance))
        if another and not agree(_passing(judged) is not None):  # ranks go on together
            judged += _drawn(parts, tolerance, another, agree)
        for name, _, verdict, _ in judged:
            (caught if verdict == CAUGHT else spared)[name] = None
        passing = _passing(judged)
        if agree(passing is not None) or not agree(len(caught) < LEAST):
            break
    if passing is not None:
        return _failed(*passing)
    if len(caught) < LEAST:
        few = f"only {len(caught)} wrong answers apply ({', '.join(caught)})"
        return Check(name=NAME, result="fail", detail=f"{few}: return more than a constant or the input")
    spared = {name: None for name in spared if name not in caught}
    detail = f"caught: {', '.join(caught)}" + (f"; not applicable: {', '.join(spared)}" if spared else "")
    return Check(name=NAME, result="pass", detail=detail)


def _passing(judged: list[Judged]) -> Judged | None:
    return next((one for one in judged if one[2] == PASSES), None)


def _made(parts: list[tuple[str, Any, Any]], arguments: tuple, tolerance: dict[str, Any]) -> Iterator[Judged]:
    """Controls that are made of the right answer and of the arguments."""
    terms = sum(size(leaf) for _, leaf in leaves(arguments))
    for path, expected, right in parts:
        for name, control in wrong_answers(right, arguments):
            yield name, path, *judge(control, expected, right, tolerance, None if name == INPUT else terms)


def _drawn(
    parts: list[tuple[str, Any, Any]], tolerance: dict[str, Any], another: Callable[[], Any], agree: Callable
) -> Iterable[Judged]:
    """The answer to another draw as a control; if it passes, to some more, as two may be alike by chance."""
    found: dict[int, Judged] = {}
    for _ in range(DRAWS):
        answers = [leaf for _, leaf in leaves(another())]
        for at, (path, expected, right) in enumerate(parts):
            alike = len(answers) == len(parts) and _shape(answers[at]) == _shape(expected)
            if alike and (at not in found or found[at][2] == PASSES):
                found[at] = (ANOTHER, path, *judge(in_type_of(answers[at], right), expected, right, tolerance))
        if not agree(any(verdict == PASSES for _, _, verdict, _ in found.values())):
            break
    return found.values()


def judge(
    control: Any, expected: Any, right: Any, tolerance: dict[str, Any], terms: int | None = None
) -> tuple[str, Difference]:
    """Is the control caught? `right` is the expected answer in the control's type.

    With `terms`, a control that rounding alone explains in sums of so many terms is as good as equal: a running sum of
    a million elements is next to its neighbours, and no tolerance could tell them apart.
    """
    apart, differing = difference(control, expected, tolerance), _share_differing(control, right)
    if differing == 0:
        return EQUAL, apart
    if apart.wrong > differing / 2:
        return CAUGHT, apart
    if terms is not None:
        spacing = rounding(right)
        close = 8 * honest_rounding(spacing, terms) if spacing < FINE else 2 * spacing
        if difference(control, right, dict(rtol=close, atol=0.0)).wrong <= differing / 2:
            return EQUAL, apart
    return PASSES, apart


def wrong_answers(right: Any, arguments: tuple) -> Iterator[tuple[str, Any]]:
    """Wrong values for one part of a result."""
    if isinstance(right, numpy.generic):
        for name, wrong in wrong_answers(numpy.asarray(right), arguments):
            yield name, wrong[()]
    elif is_dense(right):
        yield "zeros", _on_finite(right, torch.zeros_like)
        yield "noise", _on_finite(right, _inverted if _is_truth(right) else _noise)
        if size(right) > 1:
            yield (
                "shuffled",
                _on_finite(right, lambda values: values[torch.randperm(len(values), device=values.device)]),
            )
            yield "off by one tile", _on_finite(right, lambda values: values.roll(32 if len(values) > 64 else 1))
        for _, leaf in leaves(arguments):
            if is_dense(leaf) and _shape(leaf) == _shape(right):
                yield INPUT, in_type_of(leaf, right)
    elif isinstance(right, (bool, int, float, complex)):
        yield "zeros", type(right)(0)
        yield "noise", not right if isinstance(right, bool) else right * 1.5 + 1
    elif is_array(right):
        yield "zeros", numpy.zeros_like(right)
        yield "shuffled", numpy.roll(right, 1)
    elif isinstance(right, (str, bytes)):
        yield "zeros", type(right)()
        yield "noise", right * 2


def _failed(name: str, path: str, _: str, apart: Difference) -> Check:
    where = f" for part {path}" if path else ""
    worst = f"worst difference {apart.max_absolute:.3g} is {apart.of_tolerance:.2g} of the tolerance"
    worst += f", and {1 - apart.wrong:.0%} of its elements are within it"
    remedy = "tighten rtol and atol to the rounding of the output's type"
    remedy += ", or draw values that change the answer" if name == ANOTHER else ""
    return Check(name=NAME, result="fail", detail=f"{name} passes{where}: {worst}; {remedy}")


def _share_differing(control: Any, right: Any) -> float:
    """Share of the elements with another value; NaN is equal to NaN."""
    if not is_dense(right):
        if is_array(right):
            return float(not numpy.array_equal(control, right))
        return float(control != right and not (control != control and right != right))
    one, other = (torch.as_tensor(leaf) for leaf in (control, right))
    if other.is_floating_point() and other.element_size() == 1:  # torch cannot compare them
        one, other = wide(one), wide(other)
    other = other.to(one.device)  # an argument may lie elsewhere
    differs = (one != other) & ~(one.isnan() & other.isnan())
    return float(differs.double().mean()) if differs.numel() else 0.0


def _shape(leaf: Any) -> tuple[int, ...]:
    return tuple(getattr(leaf, "shape", ()))


def _on_finite(leaf: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The finite values changed as one row of numbers, everything else as it is."""
    if is_array(leaf):
        return _on_finite(torch.as_tensor(leaf), change).numpy()
    values = leaf.to(torch.complex128 if leaf.is_complex() else torch.float64, copy=True).reshape(-1)
    finite = torch.isfinite(values)
    values[finite] = change(values[finite])
    return values.reshape(leaf.shape).to(leaf.dtype)


def _noise(values: torch.Tensor) -> torch.Tensor:
    """Random values of the answer's own location and spread: close in every summary, wrong in every element."""
    if len(values) < 2:
        return values + 1.5 * (values.abs() + 1)
    spread = values.std()
    return torch.randn_like(values) * (spread if spread > 0 else 1.0) + values.mean()


def _inverted(values: torch.Tensor) -> torch.Tensor:
    return 1 - values


def _is_truth(leaf: Any) -> bool:
    return leaf.dtype == torch.bool if is_tensor(leaf) else leaf.dtype.kind == "b"
