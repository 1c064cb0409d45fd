"""Seeds that `inputs` sets itself are combined with the draw's: values change, and a draw can be repeated."""

import random

import numpy
import pytest
import torch

from perfproof.worker.measure import own_seeds
from perfproof.worker.measure.arguments import seeded
from perfproof.worker.verify.guard import Guard
from perfproof.worker.verify.outputs import same_bits


def torch_seeded():
    torch.manual_seed(0)
    return torch.randn(4)


def numpy_seeded():
    numpy.random.seed(42)
    return numpy.random.rand(4)


def random_seeded():
    random.seed("always the same")
    return random.random()


def own_generator():
    return numpy.random.default_rng(7).random(4)


SEEDED = [torch_seeded, numpy_seeded, random_seeded, own_generator]


@pytest.mark.parametrize("inputs", SEEDED)
def test_every_draw_and_every_set_of_it_has_other_values_and_a_draw_can_be_repeated(inputs):
    draw = seeded(inputs, {}, "cpu", ["numpy", "random"])
    (first, second), (other, _), again = list(draw(1, 2)), list(draw(2, 2)), list(draw(1, 2))
    assert not same_bits(first, second) and not same_bits(first, other)
    assert same_bits(again, [first, second])


def test_a_seed_still_makes_two_halves_of_a_set_equal():
    def inputs():
        return tuple(torch.rand(3, generator=torch.manual_seed(5)) for _ in range(2))

    ((first, second),) = seeded(inputs, {}, "cpu", [])(1, 1)
    assert same_bits(first, second)


def test_a_generator_with_a_seed_of_its_own_is_left_alone():
    draw = seeded(lambda: numpy.random.default_rng(numpy.random.PCG64(3)).random(), {}, "cpu", [])
    assert list(draw(1, 1)) == list(draw(2, 1))


def test_the_functions_are_back_when_inputs_ends_or_fails():
    guard = Guard()
    list(seeded(torch_seeded, {}, "cpu", [])(1, 1))
    with pytest.raises(ZeroDivisionError):
        list(seeded(lambda: 1 / 0, {}, "cpu", [])(1, 1))
    assert guard.look() == []
    assert {"torch.manual_seed"} <= own_seeds.combined_in
