"""Numbers of Python are doubles, unless float32 data may have made them."""

import random

import numpy
import pytest
import torch

from perfproof.core.tolerance import DEFAULT_TOLERANCE, FLOAT32, FLOAT64
from perfproof.worker.verify.numbers import for_numbers_of_python, tolerance_for


def allowed(number, *arguments):
    rtol, atol = tolerance_for(for_numbers_of_python(DEFAULT_TOLERANCE, arguments), number)
    return dict(rtol=rtol, atol=atol)


def total(seed):
    rng = random.Random(seed)
    return sum(rng.uniform(10, 200) for _ in range(200))


@pytest.mark.parametrize(
    "arguments", [([1.5, 2.5],), ("a text", 7), (numpy.ones(3),), (torch.ones(3, dtype=torch.float64), [1])], ids=repr
)
def test_a_number_made_of_doubles_is_held_to_theirs(arguments):
    assert allowed(total(1), *arguments) == FLOAT64


@pytest.mark.parametrize("arguments", [(torch.ones(3),), (numpy.ones(3, numpy.float16),), ([torch.nn.Linear(2, 2)],)])
def test_one_that_float32_data_may_have_made_is_not(arguments):
    assert allowed(total(1), *arguments) == FLOAT32


def test_a_number_out_of_a_tensor_that_nobody_was_given_is_known_by_its_digits():
    torch.manual_seed(1)
    found = [allowed(x.item()) == FLOAT32 for x in torch.rand(200)]
    assert sum(found) > 150
    assert all(allowed(total(seed)) == FLOAT64 for seed in range(200))
    assert all(allowed(whole) == FLOAT64 for whole in (0.0, 1234.5, 20_000.0, -3.25, float("inf")))


def test_a_declared_tolerance_is_as_it_is():
    declared = dict(rtol=1e-3, atol=0.0)
    assert for_numbers_of_python(declared, ([1.0],)) == declared
