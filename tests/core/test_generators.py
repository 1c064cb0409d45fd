"""Generators as arguments: copies make the same draws, new ones others."""

import random

import numpy
import pytest
import torch

from perfproof.core.generators import copied, is_generator, put_into, renewed, state_of
from perfproof.core.trees import clone

MADE = {
    "torch": (lambda: torch.Generator().manual_seed(7), lambda one: torch.rand((), generator=one).item()),
    "numpy": (lambda: numpy.random.default_rng(7), lambda one: one.random()),
    "random": (lambda: random.Random(7), lambda one: one.random()),
}


@pytest.fixture(params=MADE)
def kind(request):
    return MADE[request.param]


def test_a_copy_makes_the_same_draws_and_leaves_the_first_alone(kind):
    make, draw = kind
    first = make()
    draw(first)
    expected = [draw(copied(first)), draw(clone(first)), draw(clone([first])[0]), draw(first)]
    assert len(set(expected)) == 1


def test_a_generator_is_found_wherever_it_lies(kind):
    generator = kind[0]()
    assert is_generator(generator)
    assert not any(map(is_generator, (1, "text", torch.ones(2), random, numpy.random)))


def test_renewed_ones_make_draws_of_their_own_every_time_and_the_rest_stays(kind):
    make, draw = kind
    generator, rng = make(), random.Random(1)
    arguments = (torch.ones(2), {"generator": generator})
    ours, theirs = (renewed(arguments, rng) for _ in range(2))
    assert ours[0] is arguments[0] and type(ours[1]["generator"]) is type(generator)
    assert len({draw(ours[1]["generator"]), draw(theirs[1]["generator"]), draw(generator)}) == 3
    assert draw(renewed(arguments, random.Random(1))[1]["generator"]) == draw(
        renewed(arguments, random.Random(1))[1]["generator"]
    )


def test_one_can_be_put_into_the_state_of_another(kind):
    make, draw = kind
    first, second = make(), make()
    draw(second)
    put_into(first, second)
    assert str(state_of(first)) == str(state_of(second)) and draw(first) == draw(second)
