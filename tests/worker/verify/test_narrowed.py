"""A label from float32 distances is named where the arguments are doubles, unless the baseline or the pair says so."""

import pytest
import torch

from perfproof.worker.verify import narrowed
from perfproof.worker.verify.case import Contract

DRAWN = (torch.randn(20, 3, dtype=torch.float64), torch.randn(9, 3, dtype=torch.float64))


def nearest(queries, points):
    return torch.cdist(queries, points).argmin(1)


def in_single(queries, points):
    return torch.cdist(queries.float(), points.float()).argmin(1)


def in_half(queries, points):
    return torch.cdist(queries, points).to(torch.bfloat16).argmin(1)


def by_squares(queries, points):
    return (queries[:, None] - points).square().sum(-1).argmin(1)


def distances(queries, points):
    return torch.cdist(queries.float(), points.float()).double()


def to_doubles(queries, points):
    return torch.cdist(queries.double(), points.double()).argmin(1)


def one_number(queries, points):
    scale = torch.tensor(2.0, dtype=torch.float64).float()
    return (torch.cdist(queries, points) * scale.double()).argmin(1)


def said(baseline, optimized, drawn=DRAWN, lowers_precision=""):
    contract = Contract(("a", "b"), (), (), {}, lowers_precision, "cpu")
    sides = {
        "baseline": lambda own: (baseline(*own), {}),
        "optimized": lambda own: (optimized(*own), {}),
    }
    return narrowed.check(contract, sides, drawn)


@pytest.mark.parametrize(("optimized", "words"), [(in_single, "float32"), (in_half, "bfloat16")])
def test_a_choice_in_a_lower_precision_is_named(optimized, words):
    (line,) = said(nearest, optimized)
    assert line.startswith(f"optimized computes in {words} what comes in float64")


@pytest.mark.parametrize("optimized", [by_squares, distances, to_doubles, one_number])
def test_the_same_precision_and_results_that_are_compared_are_not(optimized):
    assert said(nearest, optimized) == []


def test_what_the_baseline_does_too_or_the_pair_declares_is_not():
    assert said(in_single, in_single) == []
    assert said(nearest, in_single, lowers_precision="fp32") == []
    assert said(nearest, to_doubles, tuple(one.float() for one in DRAWN)) == []
