"""Figures of whole results: they tell noise that is used twice, or that has no tails, from independent normal draws."""

import numpy
import pytest
import torch

from perfproof.worker.verify.draws import Reader, choose_places, figure_names

TOLERANCE = dict(rtol=1e-5, atol=1e-6)


def figures(draw, count=20, seed=7):
    """The figures of so many draws, by name."""
    torch.manual_seed(seed)
    (part,) = places = choose_places(draw(), TOLERANCE, numpy.random.default_rng(1))
    reader = Reader(places)
    for _ in range(count):
        reader.take(draw())
    (rows,) = reader.rows()
    assert rows.shape == (count, part.columns + len(figure_names(part)))
    return dict(zip(figure_names(part), rows[:, part.columns :].T, strict=True))


def normal():
    return torch.randn(12, 400)


def of_uniforms():
    """Eight uniform values, added: a mean of 0 and a spread of 1, with the tails cut off."""
    return (torch.rand(8, 12, 400).sum(0) - 4) * 1.5**0.5


@pytest.mark.parametrize(
    ("side", "figure"),
    [
        (lambda: torch.randn(12, 200).repeat(1, 2), "products of values 200 apart along axis 1"),
        (lambda: torch.cat([(half := torch.randn(6, 400)), -half]), "products of values 6 apart along axis 0"),
        (lambda: torch.randn(12, 200).repeat_interleave(2, 1), "products of values 1 apart along axis 1"),
        (of_uniforms, "the tails of all values"),
    ],
    ids=["halves of a row", "mirrored rows", "neighbours", "no tails"],
)
def test_a_figure_of_wrong_noise_lies_outside_of_the_right_one_s(side, figure):
    right, wrong, again = figures(normal)[figure], figures(side)[figure], figures(normal, seed=8)[figure]
    spread = right.std()
    assert abs(wrong.mean() - right.mean()) > spread
    assert abs(again.mean() - right.mean()) < spread


@pytest.mark.parametrize("draw", [lambda: torch.randn(5), lambda: torch.randint(9, (12, 40)), lambda: 0.5])
def test_small_and_whole_results_have_no_products(draw):
    assert not [name for name in figures(draw) if "products" in name or "tails" in name]
