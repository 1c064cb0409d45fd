"""State of modules and optimizers, compared: each part at its own scale."""

import copy
import math

import pytest
import torch

from perfproof.core.training import Settings
from perfproof.core.trees import clone
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.side_by_side import side_by_side

LOOSE = dict(rtol=1e-3, atol=1e-3)
NAN, INF = math.nan, math.inf


def problem(result, reference, tolerance=LOOSE):
    return difference(result, reference, tolerance).problem


def trained(update=1.0, gradient=1e-3):
    """A layer with gradients, and its optimizer with moments, as after a step."""
    torch.manual_seed(2)
    layer = torch.nn.Linear(20, 20)
    optimizer = torch.optim.AdamW(layer.parameters())
    for parameter in layer.parameters():
        parameter.grad = gradient * torch.randn_like(parameter)
    optimizer.step()
    return layer, optimizer


def changed(name, change):
    """Training state in which one part is changed."""
    layer, optimizer = trained()
    for state in optimizer.state.values():
        if name in state:
            state[name] = change(state[name])
    for parameter in layer.parameters():
        parameter.grad = change(parameter.grad) if name == "grad" else parameter.grad
    return layer, optimizer


@pytest.mark.parametrize("name", ["exp_avg", "exp_avg_sq", "grad", "step"])
@pytest.mark.parametrize("change", [torch.zeros_like, lambda x: x * 1.1, lambda x: -x])
def test_a_small_part_of_state_is_not_hidden_by_a_tolerance_for_large_ones(name, change):
    said = problem(changed(name, change), trained(), dict(rtol=1e-3, atol=1e-3))
    assert name in said and "times the tolerance" in said


@pytest.mark.parametrize("name", ["exp_avg", "exp_avg_sq", "grad"])
def test_a_small_part_of_state_may_have_the_error_that_its_scale_allows(name):
    sound = changed(name, lambda x: x + 1e-4 * x.square().mean().sqrt() * torch.randn_like(x))
    assert problem(sound, trained(), dict(rtol=0.0, atol=1e-3)) == ""
    assert problem(sound, trained(), dict(rtol=0.0, atol=0.0)) != ""


def test_a_part_whose_terms_cancel_has_the_rounding_of_its_siblings():
    """As the gradient of a bias before a softmax: zero but for rounding."""
    layer, right = (clone(trained()[0]) for _ in range(2))
    right.double()
    right.bias.grad = 1e-20 * torch.randn(20).double()
    layer.bias.grad = 1e-10 * torch.randn(20)  # of gradients near 1e-3
    tolerance = dict(rtol=1e-4, atol=1e-5)
    assert problem(layer, right, tolerance) == ""
    layer.bias.grad = 1e-7 * torch.randn(20)
    assert "bias.grad" in problem(layer, right, tolerance)


def test_no_gradient_is_a_gradient_of_zeros_and_nothing_else():
    with_zeros, without, other = (trained()[0] for _ in range(3))
    for parameter in with_zeros.parameters():
        parameter.grad.zero_()
    for parameter in without.parameters():
        parameter.grad = None
    assert problem(with_zeros, without) == problem(without, with_zeros) == problem(without, without) == ""
    assert "weight.grad" in problem(without, other) and "weight.grad" in problem(other, without)


def test_state_that_one_side_lacks_is_named():
    layer = trained()[0]
    fresh = torch.optim.AdamW(layer.parameters())
    said = problem((layer, fresh), trained())
    assert said.startswith("lacks part state.0.exp_avg of [1], ")
    assert "state.0.exp_avg of [1]" in problem(trained(), (layer, fresh))


def test_hyper_parameters_are_no_results():
    layer, optimizer = trained()
    for group in optimizer.param_groups:
        group.update(foreach=True, fused=None, lr=9.0, eps=1.0)
    assert problem((layer, optimizer), trained()) == ""


def test_settings_that_a_call_changed_are_results_to_five_digits():
    right = Settings(lr=1e-3, epoch=3)
    assert problem(Settings(lr=1e-3 * (1 + 1e-7), epoch=3), right, dict(rtol=1e-2, atol=1e-2)) == ""
    assert problem(Settings(lr=1.001e-3, epoch=3), right, dict(rtol=1e-2, atol=1e-2)).startswith(
        "part lr is wrong: got 0.001001, expected 0.001"
    )
    assert problem(Settings(lr=1e-3, epoch=4), right) and problem(Settings(epoch=3), right)


def test_the_declared_tolerance_is_never_widened():
    layer = trained(gradient=1e3)[0]
    facing, _ = side_by_side(layer, copy.deepcopy(layer), dict(rtol=1e-3, atol=1e-3))
    assert all(pair.atol <= 1e-3 for pair in facing)


def embedded(sparse, by=1.0):
    """A table of vectors with the gradient of a few rows."""
    torch.manual_seed(2)
    table = torch.nn.Embedding(50, 4, sparse=sparse)
    (by * table(torch.tensor([3, 7, 7]))).square().sum().backward()
    return table


def test_sparse_gradients_are_compared_with_dense_ones_by_value():
    allowed = dict(rtol=1e-5, atol=1e-6)
    assert problem(embedded(True), embedded(False), allowed) == "" == problem(embedded(False), embedded(True), allowed)
    assert problem(embedded(True, by=1.1), embedded(False), allowed)
