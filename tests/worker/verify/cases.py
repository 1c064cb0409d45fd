"""A verified size made of plain functions, for the checks that ask for more answers."""

import copy

import torch

from perfproof.core.trees import clone, settings
from perfproof.worker.verify.case import Case, Contract, changed_arguments

TIGHT = dict(rtol=1e-5, atol=1e-6)


def make_case(draw, reference, *sides, tolerance=TIGHT, agree=float, **declared):
    """The first side is the baseline. `draw()` gives all arguments; those in `constant` stay those of the first."""
    first = draw()
    names = declared.pop("names", tuple(f"x{place}" for place in range(len(first))))
    contract = Contract(
        names, **{"constant": (), "mutates": (), "lowers_precision": "", **declared}, **fixed(tolerance)
    )

    def answer(arguments, device="cpu"):
        own = [widened(v) if n in contract.mutates else v for n, v in zip(names, clone(arguments), strict=True)]
        return reference(*own), changed_arguments(tuple(own), contract, settings(arguments))

    def calling(function):
        def call(own):
            before = settings(own)
            return clone(function(*own)), changed_arguments(tuple(own), contract, before)

        return call

    calls = {("baseline", "optimized", "other")[place]: calling(side) for place, side in enumerate(sides)}
    example = calls["baseline"](clone(first))
    return Case(contract, first, answer(first), example, answer, calls, draw, agree)


def fixed(tolerance):
    return dict(tolerance=tolerance, device="cpu")


def widened(value):
    if isinstance(value, torch.nn.Module):
        return copy.deepcopy(value).double()
    return value.double() if isinstance(value, torch.Tensor) else value
