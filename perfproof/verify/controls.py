"""Test the checker before trusting it: wrong answers must fail the pair's own tolerance, in every part of a result.

A tolerance that passes zeros or noise proves nothing, and a target with such a tolerance is refused. A control that
happens to be the right answer (the input, for a copy; zeros, where zeros are right) does not apply; at least two must.
Infinities and NaNs stay where the right answer has them: a control must fail by its values and nothing else.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy
import torch

from perfproof.core.documents import Check
from perfproof.core.trees import is_array, is_tensor, leaves
from perfproof.verify.compare import difference, rounding

LEAST = 2
NAME = "tolerance can fail"


def test_the_checker(reference: Any, arguments: tuple, example: Any, tolerance: dict[str, Any]) -> Check:
    """`example` is a real output: controls are made in its types."""
    caught: dict[str, None] = {}
    spared: dict[str, None] = {}
    for (path, expected), (_, model) in zip(leaves(reference), leaves(example), strict=True):
        for name, control in wrong_answers(_in_type_of(expected, model), arguments):
            apart = difference(control, expected, tolerance)
            if apart.rms_relative <= 8 * rounding(model):
                spared[name] = None
            elif apart.problem:
                caught[name] = None
            else:
                worst = f"worst difference {apart.max_absolute:.3g} is {apart.of_tolerance:.2g} of the tolerance"
                where = f" for part {'.'.join(path)}" if path else ""
                remedy = "tighten rtol and atol to the rounding of the output's type"
                return Check(name=NAME, result="fail", detail=f"{name} passes{where}: {worst}; {remedy}")
    if len(caught) < LEAST:
        few = f"only {len(caught)} wrong answers apply ({', '.join(caught)})"
        return Check(name=NAME, result="fail", detail=f"{few}: return more than a constant or the input")
    spared = {name: None for name in spared if name not in caught}
    detail = f"caught: {', '.join(caught)}" + (f"; not applicable: {', '.join(spared)}" if spared else "")
    return Check(name=NAME, result="pass", detail=detail)


def wrong_answers(right: Any, arguments: tuple) -> Iterator[tuple[str, Any]]:
    """Wrong values for one part of a result."""
    if isinstance(right, numpy.generic):
        for name, wrong in wrong_answers(numpy.asarray(right), arguments):
            yield name, wrong[()]
    elif is_tensor(right) or _is_numeric_array(right):
        yield "zeros", _on_finite(right, torch.zeros_like)
        yield "noise", _on_finite(right, _inverted if _is_truth(right) else _noise)
        if _size(right) > 1:
            yield (
                "shuffled",
                _on_finite(right, lambda values: values[torch.randperm(len(values), device=values.device)]),
            )
            yield "off by one tile", _on_finite(right, lambda values: values.roll(32 if len(values) > 64 else 1))
        for _, leaf in leaves(arguments):
            if (is_tensor(leaf) or _is_numeric_array(leaf)) and tuple(leaf.shape) == tuple(right.shape):
                yield "the input", leaf
                break
    elif isinstance(right, (bool, int, float, complex)):
        yield "zeros", type(right)(0)
        yield "noise", not right if isinstance(right, bool) else right * 1.5 + 1
    elif isinstance(right, (str, bytes)):
        yield "zeros", type(right)()
        yield "noise", right[::-1]


def _in_type_of(leaf: Any, model: Any) -> Any:
    if is_tensor(leaf) and is_tensor(model):
        return leaf.detach().to(model.dtype)
    return leaf.astype(model.dtype) if is_array(leaf) and is_array(model) else leaf


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


def _is_numeric_array(leaf: Any) -> bool:
    return is_array(leaf) and leaf.dtype.kind in "biufc"


def _size(leaf: Any) -> int:
    return leaf.numel() if is_tensor(leaf) else leaf.size
