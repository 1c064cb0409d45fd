"""A variant that sets the seed of a global generator is named, and one that only draws from it is not."""

import random

import numpy
import pytest
import torch

from perfproof.worker.verify import seeds_set
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(names=("x",), constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")


def said(baseline, optimized):
    sides = {name: lambda own, side=side: (side(*own), {}) for name, side in locals().items()}
    return seeds_set.check(CONTRACT, sides, ([3, 1, 2],))


def seeding(seed):
    def call(x):
        seed(0)
        return sorted(x)

    return call


@pytest.mark.parametrize(
    ("seed", "whose"), [(random.seed, "Python's"), (numpy.random.seed, "NumPy's"), (torch.manual_seed, "torch's")]
)
def test_a_seed_that_only_the_variant_sets_is_named(seed, whose):
    (line,) = said(sorted, seeding(seed))
    assert line.startswith(f"optimized sets the seed of {whose} global generator")
    assert said(seeding(seed), seeding(seed)) == []


@pytest.mark.parametrize(
    "optimized",
    [
        sorted,
        lambda x: random.sample(x, 2),
        lambda x: [*x, numpy.random.rand(), torch.rand(1)],
        lambda x: [*random.Random(0).sample(x, 2), torch.Generator().manual_seed(0)],
        lambda x: 1 / 0,
    ],
    ids=["nothing", "draws", "draws of libraries", "a generator of its own", "raises"],
)
def test_drawing_from_a_generator_is_not_named(optimized):
    assert said(sorted, optimized) == []


def test_generators_are_left_as_they_were():
    random.seed(5), torch.manual_seed(5)
    expected = random.random(), torch.rand(1)
    random.seed(5), torch.manual_seed(5)
    said(sorted, seeding(random.seed))
    assert (random.random(), torch.rand(1)) == expected
