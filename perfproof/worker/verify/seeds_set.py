"""Sides that set the seed of a global generator: what a program draws afterwards is then always the same."""

import pickle
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy
import torch

from perfproof.worker.verify.case import Answer, Contract, attempt

Call = Callable[[tuple], Answer]
# How a state is read, put back, and set by a seed.
GENERATORS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[int], Any]]] = {
    "Python's": (random.getstate, random.setstate, random.seed),
    "NumPy's": (numpy.random.get_state, numpy.random.set_state, numpy.random.seed),
    "torch's": (torch.get_rng_state, torch.set_rng_state, torch.manual_seed),
}


def check(contract: Contract, sides: Mapping[str, Call], drawn: tuple) -> list[str]:
    """A line for each variant that sets a seed which the baseline leaves alone; it is the first of the sides."""
    usual, *variants = [(name, _set_by(call, contract, drawn)) for name, call in sides.items()]
    return [
        f"{name} sets the seed of {which} global generator, and the baseline does not: what is drawn later is alike"
        for name, seeds in variants
        for which in seeds
        if which not in usual[1]
    ]


def _set_by(call: Call, contract: Contract, drawn: tuple) -> list[str]:
    """The generators that are in the same state after two calls, although they were not before."""
    before = {which: read() for which, (read, _, _) in GENERATORS.items()}
    try:
        first, second = (_after(call, contract, drawn, seed) for seed in (1, 2))
    finally:
        for which, (_, put_back, _) in GENERATORS.items():
            put_back(before[which])
    return [which for which in GENERATORS if first[which] == second[which]]


def _after(call: Call, contract: Contract, drawn: tuple, seed: int) -> dict[str, bytes]:
    for _, _, start in GENERATORS.values():
        start(seed)
    attempt(call, contract.copied(drawn))
    return {which: pickle.dumps(_plain(read())) for which, (read, _, _) in GENERATORS.items()}


def _plain(state: Any) -> Any:
    return state.tolist() if isinstance(state, torch.Tensor) else state
