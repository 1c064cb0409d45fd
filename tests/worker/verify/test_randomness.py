"""Pairs that draw random values, as the worker verifies them: undeclared, by a generator, by their distribution."""

import random

import numpy
import pytest
import torch

from perfproof.worker import verification
from perfproof.worker.verify import distribution
from tests.worker.test_verification import problem, verified

CLOSE = dict(rtol=1e-5, atol=1e-6)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(verification.leftovers, "after_call", lambda *_: None)
    monkeypatch.setattr(distribution, "FIRST", 512)
    monkeypatch.setattr(distribution, "SECONDS", 20.0)  # other work on the core must not decide how many are drawn


def means():
    return (torch.randn(33),)


def noisy(mean):
    return mean + torch.randn(33)


def exact(mean):
    return mean.double() + torch.randn(33, dtype=torch.float64)


def test_random_results_that_are_not_declared_are_called_so_with_both_ways_out():
    said = problem(means, exact, noisy, noisy, tolerance=CLOSE)
    assert said.startswith(
        "matches the reference at smoke sizes: baseline at smoke sizes: results are random: two calls"
    )
    assert "Take a generator as an argument" in said and said.endswith("or declare `distribution = True`")


def test_a_wrong_result_that_is_not_random_keeps_its_words():
    said = problem(means, lambda mean: mean.double(), torch.clone, lambda mean: mean + 0.1, tolerance=CLOSE)
    assert "optimized at smoke sizes: differs in " in said and "results are random" not in said


def torch_pair():
    seed = int(torch.randint(2**62, ()))
    return torch.randn(33), torch.Generator().manual_seed(seed)


GENERATORS = {
    "torch": (torch_pair, lambda x, g: torch.randn(33, generator=g)),
    "numpy": (
        lambda: (torch.randn(33), numpy.random.default_rng(int(torch.randint(2**31, ())))),
        lambda x, g: torch.as_tensor(g.standard_normal(33, dtype=numpy.float32)),
    ),
    "random": (
        lambda: (torch.randn(33), random.Random(int(torch.randint(2**31, ())))),
        lambda x, g: torch.tensor([g.random() for _ in range(33)]),
    ),
}


@pytest.mark.parametrize("kind", GENERATORS)
def test_sides_that_draw_from_a_generator_make_the_same_draws(kind):
    inputs, draw = GENERATORS[kind]
    sides = (lambda x, g: x + draw(x, g), lambda x, g: draw(x, g) + x)
    assert problem(inputs, lambda x, g: x.double() + draw(x, g).double(), *sides, tolerance=CLOSE) == ""


@pytest.mark.parametrize(
    "variant",
    [
        lambda x, g: x + torch.randn(33),  # another generator
        lambda x, g: x + torch.randn(34, generator=g)[1:],  # other draws
        lambda x, g: x + torch.randn(33, generator=torch.Generator().manual_seed(3)),
    ],
)
def test_a_side_that_does_not_draw_what_the_generator_gives_fails(variant):
    draw = GENERATORS["torch"][1]
    sides = (lambda x, g: x + draw(x, g), variant)
    said = problem(torch_pair, lambda x, g: x.double() + draw(x, g), *sides, tolerance=CLOSE)
    assert said.startswith("matches the reference at smoke sizes: optimized at smoke sizes: differs in ")


def test_a_declared_distribution_is_compared_instead_of_values():
    found = verified(means, exact, noisy, lambda mean: torch.normal(mean, 1.0), tolerance=CLOSE, distribution=True)
    assert not found.failed and found.errors == {}
    assert "an honest pair fails once in 10,000" in found.checks["distribution at smoke sizes"].detail
    assert {"own memory", "arguments unchanged", "plain result", "same layout"} <= set(found.checks)
    assert not {"precision", "every argument matters"} & set(found.checks)
    assert found.checks["right at extremes"].detail == "values with one outlier"


def test_a_wrong_distribution_fails():
    wide = (noisy, lambda mean: mean + 1.3 * torch.randn(33))
    said = problem(means, exact, *wide, tolerance=CLOSE, distribution=True)
    assert said.startswith("distribution at smoke sizes: optimized: ")


def resampled(x):
    return x[torch.randint(len(x), (64, len(x)))].mean(1)


def test_a_normal_distribution_in_place_of_a_bootstrap_fails_for_values_with_an_outlier():
    def normal(x):
        return x.mean() + x.std(unbiased=False) / len(x) ** 0.5 * torch.randn(64)

    def by_places(x):
        return x.take(torch.randint(len(x), (len(x), 64))).mean(0)

    def draw():
        return (torch.randn(99),)

    declared = dict(tolerance=CLOSE, distribution=True)
    assert problem(draw, resampled, resampled, by_places, **declared) == ""
    said = problem(draw, resampled, resampled, normal, **declared)
    assert said.startswith("right at extremes: values with one outlier: optimized: ")


def test_what_is_drawn_into_an_argument_is_compared_too():
    declared = dict(mutates=("x0",), tolerance=CLOSE, distribution=True)
    assert (
        problem(means, lambda x: x.normal_(), lambda x: x.normal_(), lambda x: x.copy_(torch.randn(33)), **declared)
        == ""
    )
    assert "distribution" in problem(
        means, lambda x: x.normal_(), lambda x: x.normal_(), lambda x: x.uniform_(), **declared
    )


def test_a_distribution_may_be_drawn_from_a_generator():
    """Every draw has one in another state, or all of them would be the same."""
    sides = (lambda x, g: x + torch.randn(33, generator=g), lambda x, g: x + torch.randn(40, generator=g)[7:])
    declared = dict(tolerance=CLOSE, distribution=True)
    assert problem(torch_pair, lambda x, g: x.double() + torch.randn(33, generator=g), *sides, **declared) == ""


def test_a_side_that_changes_its_arguments_is_found_although_results_are_random():
    said = problem(means, exact, noisy, lambda mean: mean.normal_().clone(), tolerance=CLOSE, distribution=True)
    assert said.startswith("arguments unchanged: optimized")


def test_a_check_without_power_refuses_the_target(monkeypatch):
    monkeypatch.setattr(distribution, "MOST", 32)
    side = lambda x: bool(torch.rand(()) < 0.5)  # noqa: E731
    said = problem(means, side, side, side, distribution=True)
    assert said.startswith("distribution can be told at smoke sizes: 32 draws do not tell ")
