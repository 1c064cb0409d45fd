"""Random results of timed calls, each on arguments of its own."""

import re

import pytest
import torch

from perfproof.worker.verify.timed_draws import TimedDraws

CLOSE = dict(rtol=1e-5, atol=1e-6)
NOISE = torch.randn(200, generator=torch.Generator().manual_seed(1))
CALLS = 12


def reference(mean):
    return mean.double() + torch.randn(len(mean), dtype=torch.float64)


def problems(side, calls=CALLS):
    """What is said after each call, until something is."""
    draws = TimedDraws(CLOSE)
    for _ in range(calls):
        mean = torch.randn(200)
        problem = draws.problem("optimized", side(mean), lambda mean=mean: reference(mean))
        if problem:
            return problem
    return ""


@pytest.mark.parametrize(
    "side", [lambda mean: mean + torch.randn(200), lambda mean: torch.normal(mean, 1.0)], ids=["sum", "normal"]
)
def test_draws_of_the_reference_s_distribution_pass(side):
    assert problems(side) == ""


@pytest.mark.parametrize(
    ("side", "words"),
    [
        (lambda mean: mean + NOISE, "go along with the ones before"),
        (lambda mean: mean.clone(), "no draws of the reference's distribution"),
        (lambda mean: mean + 1.3 * torch.randn(200), "no draws of the reference's distribution"),
        (lambda mean: NOISE.clone(), "came 3 times before|no draws"),
        (lambda mean: mean + torch.randn(200).log(), "has NaN or infinity, no draw of the reference has"),
        (lambda mean: mean[:7] + torch.randn(7), r"has the shapes \[\(7,\)\]"),
    ],
    ids=["kept noise", "no noise", "wider", "one result", "not finite", "shape"],
)
def test_results_that_are_no_such_draws_are_found_within_a_few_calls(side, words):
    assert re.search(words, problems(side))


def test_a_part_that_is_no_sample_is_compared_by_value():
    draws, mean = TimedDraws(CLOSE), torch.randn(200)

    def said(second):
        return draws.problem("optimized", (torch.randn(200), second), lambda: (torch.randn(200), mean.double()))

    assert said(mean) == ""
    assert said(mean + 1e-2).startswith(("differs in", "is wrong"))


def test_another_type_than_the_first_result_s_is_found():
    draws = TimedDraws(CLOSE)
    mean = torch.randn(200)
    assert draws.problem("baseline", mean + torch.randn(200), lambda: reference(mean)) == ""
    assert "float16" in draws.problem("optimized", (mean + torch.randn(200)).half(), lambda: reference(mean))
