"""Test the checker before trusting it: wrong answers that must fail the pair's own tolerance.

A tolerance that passes zeros or noise proves nothing, and a target with such a tolerance is refused. A control that
happens to be the right answer (the input, for a copy; zeros, where zeros are right) does not apply; at least two must.
"""

from collections.abc import Iterator
from typing import Any

import numpy
import torch

from perfproof.core.documents import Check
from perfproof.core.trees import is_array, is_tensor, leaves, map_leaves
from perfproof.verify.compare import difference, rounding

LEAST = 2


def test_the_checker(reference: Any, arguments: tuple, example: Any, tolerance: dict[str, Any]) -> Check:
    """`example` is a real output: controls are made in its types, so that they fail by value and nothing else."""
    caught, inapplicable = [], []
    for name, control in wrong_answers(reference, arguments, example):
        apart = difference(control, reference, tolerance)
        if apart.rms_relative <= 8 * max(rounding(leaf) for _, leaf in leaves(example)):
            inapplicable.append(name)
        elif not apart.problem:
            detail = (
                f"{name} passes: worst difference {apart.max_absolute:.3g} is {apart.of_tolerance:.2g} of the tolerance; "
                "tighten rtol and atol to the rounding of the output's type"
            )
            return Check(name="tolerance can fail", result="fail", detail=detail)
        else:
            caught.append(name)
    if len(caught) < LEAST:
        detail = (
            f"only {len(caught)} wrong answers apply ({', '.join(caught)}): return more than a constant or the input"
        )
        return Check(name="tolerance can fail", result="fail", detail=detail)
    detail = f"caught: {', '.join(caught)}" + (f"; not applicable: {', '.join(inapplicable)}" if inapplicable else "")
    return Check(name="tolerance can fail", result="pass", detail=detail)


def wrong_answers(reference: Any, arguments: tuple, example: Any) -> Iterator[tuple[str, Any]]:
    right = _in_types_of(reference, example)
    yield "zeros", map_leaves(right, _zeros)
    yield "noise", map_leaves(right, _noise)
    if any(_size(leaf) > 1 for _, leaf in leaves(right)):
        yield "shuffled", map_leaves(right, _shuffled)
        yield "off by one tile", map_leaves(right, _shifted)
    for _, leaf in leaves(arguments):
        if (is_tensor(leaf) or is_array(leaf)) and _fits(leaf, right):
            yield "the input", map_leaves(right, lambda _, leaf=leaf: leaf)
            break


def _in_types_of(reference: Any, example: Any) -> Any:
    found = iter(leaf for _, leaf in leaves(example))

    def cast(leaf: Any) -> Any:
        model = next(found, leaf)
        if is_tensor(leaf) and is_tensor(model):
            return leaf.detach().to(model.dtype)
        if is_array(leaf) and is_array(model):
            return leaf.astype(model.dtype)
        return leaf

    return map_leaves(reference, cast)


def _zeros(leaf: Any) -> Any:
    if is_tensor(leaf):
        return torch.zeros_like(leaf)
    if is_array(leaf):
        return numpy.zeros_like(leaf)
    if isinstance(leaf, (str, bytes)):
        return type(leaf)()
    return type(leaf)(0) if isinstance(leaf, (bool, int, float, complex)) else leaf


def _noise(leaf: Any) -> Any:
    """Random values of the answer's own location and spread: close in every summary, wrong in every element."""
    if is_array(leaf):
        return _noise(torch.as_tensor(leaf)).cpu().numpy()
    if is_tensor(leaf):
        if leaf.numel() < 2:
            return leaf + torch.randn_like(leaf.double()).to(leaf.dtype) * (leaf.abs() + 1)
        if leaf.dtype == torch.bool:
            return ~leaf
        wide = leaf.double() if not leaf.is_complex() else leaf
        return (torch.randn_like(wide) * (wide.std() + 1e-30) + wide.mean()).to(leaf.dtype)
    if isinstance(leaf, bool):
        return not leaf
    if isinstance(leaf, (str, bytes)):
        return leaf[::-1]
    return leaf * 1.5 + 1 if isinstance(leaf, (int, float, complex)) else leaf


def _shuffled(leaf: Any) -> Any:
    if is_array(leaf):
        return numpy.random.permutation(leaf.reshape(-1)).reshape(leaf.shape)
    if is_tensor(leaf):
        return leaf.reshape(-1)[torch.randperm(leaf.numel(), device=leaf.device)].reshape(leaf.shape)
    return leaf


def _shifted(leaf: Any) -> Any:
    """Every element where its neighbour one tile further belongs: the classic wrong index."""
    if is_array(leaf):
        return numpy.roll(leaf.reshape(-1), _tile(leaf.size)).reshape(leaf.shape)
    if is_tensor(leaf):
        return leaf.reshape(-1).roll(_tile(leaf.numel())).reshape(leaf.shape)
    return leaf


def _tile(elements: int) -> int:
    return 32 if elements > 64 else 1


def _size(leaf: Any) -> int:
    return leaf.numel() if is_tensor(leaf) else leaf.size if is_array(leaf) else 1


def _fits(leaf: Any, right: Any) -> bool:
    return all(
        (is_tensor(part) or is_array(part)) and tuple(part.shape) == tuple(leaf.shape) for _, part in leaves(right)
    )
