"""The gradient of a result that can be differentiated: a right answer may come with a wrong `backward`."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch

from perfproof.core.trees import is_tensor, leaves, whole
from perfproof.worker.verify.case import Contract, attempt
from perfproof.worker.verify.numbers import rounding

COARSE = 2.0**-10  # relative error of a gradient: a smaller one is a matter of rounding
ROUNDINGS = 64
SMALL = 1e-3  # of the largest gradient: what is smaller may be all rounding


def check(contract: Contract, sides: Mapping[str, Callable[..., Any]], drawn: tuple) -> list[str]:
    """Lines about variants whose gradient is not the baseline's, which is the first of the sides.

    A result without a graph is told elsewhere.
    """
    usual, *variants = [(name, attempt(_gradients, call, contract.copied(drawn))) for name, call in sides.items()]
    if isinstance(usual[1], Exception) or not usual[1]:
        return []
    found = []
    for name, ours in variants:
        if isinstance(ours, Exception):
            found.append(f"{name} cannot be differentiated as the baseline can: {type(ours).__name__}")
        elif ours and not _is_same(ours, usual[1], contract):
            found.append(f"{name} has another gradient than the baseline: `backward` through its result goes wrong")
    return found


def _gradients(call: Callable[..., Any], own: tuple) -> list[torch.Tensor]:
    """Of a weighted sum of the result, by all arguments and parameters that ask for it; none if nothing does."""
    asked = {id(leaf): leaf for _, leaf in leaves(own) if is_tensor(leaf) and leaf.requires_grad and leaf.is_leaf}
    results = [leaf for _, leaf in whole(call(*own)) if is_tensor(leaf) and leaf.requires_grad]
    if not asked or not results:
        return []
    total = sum((one * torch.linspace(0.5, 1.5, one.numel()).reshape(one.shape)).sum().abs() for one in results)
    found = torch.autograd.grad(total, list(asked.values()), allow_unused=True)
    return [torch.zeros_like(by) if one is None else one for one, by in zip(found, asked.values(), strict=True)]


def _is_same(ours: list[torch.Tensor], theirs: list[torch.Tensor], contract: Contract) -> bool:
    largest = max(_rms(one) for one in theirs)
    if len(ours) != len(theirs) or not math.isfinite(largest):
        return len(ours) == len(theirs)
    return all(
        _rms(one.double() - other.double())
        <= max(COARSE, ROUNDINGS * rounding(other), 4 * contract.spacing) * max(_rms(other), SMALL * largest)
        for one, other in zip(ours, theirs, strict=True)
    )


def _rms(values: torch.Tensor) -> float:
    return float(values.double().norm()) / math.sqrt(max(1, values.numel()))
