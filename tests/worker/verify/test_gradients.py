"""A result that can be differentiated has the baseline's gradient."""

import pytest
import torch
from torch import nn

from perfproof.worker.verify import gradients
from perfproof.worker.verify.case import Contract


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, above):
        return 2 * ctx.saved_tensors[0] * above


class Through(Square):
    @staticmethod
    def backward(ctx, above):
        return above


class Broken(Square):
    @staticmethod
    def backward(ctx, above):
        raise RuntimeError("no backward")


def square(x):
    return x * x


def said(baseline, optimized, *arguments):
    names = tuple(f"a{at}" for at in range(len(arguments)))
    contract = Contract(names=names, constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")
    return gradients.check(contract, dict(baseline=baseline, optimized=optimized), arguments)


def drawn():
    return torch.randn(8, 6, requires_grad=True)


@pytest.mark.parametrize(
    ("optimized", "words"),
    [
        (Through.apply, "another gradient"),
        (lambda x: square(x.detach()) + 0 * x, "another gradient"),
        (Broken.apply, "cannot be differentiated"),
    ],
)
def test_a_wrong_backward_is_named(optimized, words):
    assert [words in line for line in said(square, optimized, drawn())] == [True]


@pytest.mark.parametrize("optimized", [Square.apply, lambda x: x.pow(2), lambda x: square(x.double()).float()])
def test_another_way_to_the_same_gradient_is_not(optimized):
    assert said(square, optimized, drawn()) == []


def test_a_result_without_a_graph_is_told_elsewhere():
    assert said(square, lambda x: square(x.detach()), drawn()) == []
    assert said(square, Through.apply, torch.randn(8, 6)) == []


def test_parameters_of_a_module_are_looked_at_and_rounding_is_no_gradient():
    model = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.Linear(5, 3))  # the first bias has none but rounding
    x = torch.randn(16, 6)

    def frozen(model, x):
        return nn.functional.linear(model[:2](x), model[2].weight.detach(), model[2].bias)

    def by_parts(model, x):
        return model[1:](x @ model[0].weight.T + model[0].bias)

    assert ["another gradient" in line for line in said(lambda m, x: m(x), frozen, model, x)] == [True]
    assert said(lambda m, x: m(x), by_parts, model, x) == []
