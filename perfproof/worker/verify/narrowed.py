"""Does a variant compute in a lower precision than its arguments have, where its result cannot show it?

Labels, places and counts hide an error until two candidates lie close together. torch says which conversions a call
makes; NumPy does not.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from perfproof.core.trees import leaves
from perfproof.worker.verify.case import Contract, attempt
from perfproof.worker.verify.numbers import is_floating_or_complex

LEAST = 16  # elements: a single number is a setting

Call = Callable[[tuple], Any]
Step = tuple[torch.dtype, torch.dtype]


def check(contract: Contract, sides: Mapping[str, Call], drawn: tuple) -> list[str]:
    """A line for each variant that rounds what the baseline does not, and returns no floating-point numbers."""
    if contract.lowers_precision:
        return []
    (_, baseline), *variants = sides.items()
    usual, found = _steps(contract, baseline, drawn), []
    for name, call in variants:
        for before, after in sorted(_steps(contract, call, drawn) - usual, key=str)[:1]:
            words = [str(one).removeprefix("torch.") for one in (before, after)]
            found.append(
                f"{name} computes in {words[1]} what comes in {words[0]}, and its result cannot show the error: "
                "candidates that lie close together may change places"
            )
    return found


def _steps(contract: Contract, call: Call, drawn: tuple) -> set[Step]:
    """The conversions to a coarser format; none if the result has floating-point numbers, which are compared."""
    with _Conversions() as seen:
        answer = attempt(call, contract.copied(drawn))
    if isinstance(answer, Exception) or any(_is_floating(leaf) for _, leaf in leaves(answer)):
        return set()
    return seen.steps


def _is_floating(leaf: Any) -> bool:
    return type(leaf) in (float, complex) or is_floating_or_complex(leaf)


class _Conversions(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.steps: set[Step] = set()

    def __torch_dispatch__(self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        result = function(*args, **(kwargs or {}))
        if function is torch.ops.aten._to_copy.default and args[0].numel() >= LEAST:
            before, after = args[0].dtype, result.dtype
            if before.is_floating_point and after.is_floating_point and _eps(after) > _eps(before):
                self.steps.add((before, after))
        return result


def _eps(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).eps
