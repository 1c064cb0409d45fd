"""Seeds that `inputs` sets itself: with them all draws would be alike, so each is combined with that of the draw."""

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import torch

SEEDERS = (
    (torch, "manual_seed"),
    (torch.random, "manual_seed"),
    (numpy.random, "seed"),
    (numpy.random, "default_rng"),
    (random, "seed"),
)
SEEDS = 2**32  # NumPy takes no more

_Random, combined_in = random.Random, set[str]()  # names of the functions that were called


@contextlib.contextmanager
def combined(*draw: int) -> Iterator[None]:
    """Within it a seed is as good as another one that depends on it and on the `draw`."""
    before = [getattr(owner, name) for owner, name in SEEDERS]
    for (owner, name), seeder in zip(SEEDERS, before, strict=True):
        setattr(owner, name, _combining(seeder, f"{owner.__name__}.{name}", draw))
    try:
        yield
    finally:
        for (owner, name), seeder in zip(SEEDERS, before, strict=True):
            setattr(owner, name, seeder)


def _combining(seeder: Callable, name: str, draw: tuple[int, ...]) -> Callable:
    def seed(seed: Any = None, *others: Any, **named: Any) -> Any:
        if not isinstance(seed, (int, float, str, list, tuple, numpy.integer, type(None))):
            return seeder(seed, *others, **named)  # a generator that has its seed
        combined_in.add(name)
        return seeder(_Random(repr((seed, draw))).randrange(SEEDS), *others, **named)

    return seed
