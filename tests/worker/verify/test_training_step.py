"""Whole training steps, verified with model, optimizer and scheduler as arguments that are changed."""

import pytest
import torch

from perfproof.worker.verify.compare import difference
from tests.worker.test_verification import problem
from tests.worker.test_verification import verified as findings_of

TOLERANCE = dict(rtol=1e-3, atol=1e-4)
STATE = ("x0", "x1", "x2")


def inputs(steps=3):
    """State after some steps: Adam's first one is ill-conditioned, as it divides gradients by their own size."""
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)
    for _ in range(steps):
        baseline(model, optimizer, scheduler, torch.randn(64, 8))
    return model, optimizer, scheduler, torch.randn(64, 8)


def loss_of(model, x):
    x = x.to(model[0].weight.dtype)
    return (model(x) - x[:, :4]).square().mean()


def baseline(model, optimizer, scheduler, x):
    optimizer.zero_grad()
    loss = loss_of(model, x)
    loss.backward()
    optimizer.step()
    scheduler.step()
    return loss.detach()


def multi_tensor(model, optimizer, scheduler, x):
    for group in optimizer.param_groups:
        group["foreach"] = True
    return baseline(model, optimizer, scheduler, x)


def accumulated(model, optimizer, scheduler, x):
    optimizer.zero_grad()
    losses = [loss_of(model, half) / 2 for half in x.chunk(2)]
    for loss in losses:
        loss.backward()
    optimizer.step()
    scheduler.step()
    return sum(loss.detach() for loss in losses)


def scaled(model, optimizer, scheduler, x):
    optimizer.zero_grad()
    loss = loss_of(model, x)
    (loss * 1024).backward()
    for parameter in model.parameters():
        parameter.grad /= 1024
    optimizer.step()
    scheduler.step()
    return loss.detach()


def verified(variant, reference=baseline, tolerance=TOLERANCE, make=inputs, mutates=STATE):
    return problem(make, reference, baseline, variant, mutates=mutates, tolerance=tolerance)


@pytest.mark.parametrize("variant", [multi_tensor, accumulated, scaled])
def test_a_sound_step_passes(variant):
    assert verified(variant) == ""


def with_moments(change):
    """A step whose second moments are worked out apart, from those before, the gradient and the second beta."""

    def variant(model, optimizer, scheduler, x):
        old = {parameter: state["exp_avg_sq"].clone() for parameter, state in optimizer.state.items()}
        loss = baseline(model, optimizer, scheduler, x)
        for parameter, state in optimizer.state.items():
            change(state["exp_avg_sq"], old[parameter], parameter.grad, optimizer.param_groups[0]["betas"][1])
        return loss

    return variant


def in_single(moments, old, gradient, beta):
    """As a fused kernel does: 1 - beta of a beta in float32 is off by 1.3e-5."""
    beta = torch.tensor(beta)
    moments.copy_(beta * old + (1 - beta) * gradient * gradient)


def in_half(moments, old, gradient, beta):
    moments.copy_((beta * old * 2**20).half().float() / 2**20 + (1 - beta) * gradient * gradient)


def test_numbers_that_a_kernel_takes_in_single_precision_are_no_lower_precision():
    assert verified(with_moments(in_single)) == ""


def test_moments_in_half_precision_are_a_lower_precision():
    said = verified(with_moments(in_half))
    by_tolerance = "a lower precision has errors of this size" in said  # an element of some draws is beyond it
    assert said.startswith("precision: optimized has") or by_tolerance, said


def deep_inputs():
    """Gradients get smaller from layer to layer: second moments of the first are 1e-8 of those of the last."""
    layers = [layer for _ in range(6) for layer in (torch.nn.Linear(32, 32), torch.nn.GELU())]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)
    for _ in range(3):
        baseline(model, optimizer, scheduler, torch.randn(64, 32))
    return model, optimizer, scheduler, torch.randn(64, 32)


def without_first_moments(model, optimizer, scheduler, x):
    loss = baseline(model, optimizer, scheduler, x)
    optimizer.state[model[0].weight]["exp_avg_sq"].zero_()
    return loss


def test_a_sound_step_of_a_deep_model_passes():
    assert verified(multi_tensor, make=deep_inputs) == ""


def test_second_moments_of_the_first_layer_are_compared_at_their_own_scale():
    said = verified(without_first_moments, make=deep_inputs)
    assert said.startswith("matches the reference") and "exp_avg_sq differs" in said, said


def test_state_that_a_step_creates_is_compared_too():
    assert verified(multi_tensor, make=lambda: inputs(steps=0), tolerance=dict(rtol=1e-2, atol=1e-3)) == ""


def without(line):
    """A step that leaves out one thing."""

    def variant(model, optimizer, scheduler, x):
        optimizer.zero_grad()
        loss = loss_of(model, x[:32] if line == "half of the batch" else x)
        loss.backward()
        if line == "second moments":
            moments = [state["exp_avg_sq"].clone() for state in optimizer.state.values()]
        if line != "step":
            optimizer.step()
        if line == "second moments":
            for state, old in zip(optimizer.state.values(), moments, strict=True):
                state["exp_avg_sq"] = old
        if line != "schedule":
            scheduler.step()
        return loss.detach()

    return variant


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("step", "`x0`"),
        ("schedule", "settings of training"),
        ("second moments", "exp_avg_sq differs"),
        ("half of the batch", "expected"),
    ],
)
def test_a_step_that_leaves_something_out_is_named(line, part):
    said = verified(without(line))
    assert said.startswith("matches the reference") and part in said, said


def released(model, optimizer, scheduler, x):
    loss = baseline(model, optimizer, scheduler, x)
    optimizer.zero_grad()
    return loss


def zeroed(model, optimizer, scheduler, x):
    loss = baseline(model, optimizer, scheduler, x)
    optimizer.zero_grad(set_to_none=False)
    return loss


@pytest.mark.parametrize("variant", [released, zeroed])
@pytest.mark.parametrize("reference", [released, zeroed])
def test_gradients_that_are_released_and_gradients_of_zeros_are_the_same(variant, reference):
    assert problem(inputs, reference, released, variant, mutates=STATE, tolerance=TOLERANCE) == ""


@pytest.mark.parametrize("variant", [released, zeroed])
def test_gradients_that_a_step_has_used_up_are_no_result(variant):
    assert verified(variant) == ""


def test_gradients_are_the_result_where_no_step_uses_them():
    def make():
        return torch.nn.Linear(8, 4), torch.randn(64, 8)

    def accumulate(model, x):
        model(x.to(model.weight.dtype)).square().mean().backward()

    def forgotten(model, x):
        accumulate(model, x)
        model.zero_grad()

    declared = dict(mutates=("x0",), tolerance=TOLERANCE)
    assert problem(make, accumulate, accumulate, accumulate, **declared) == ""
    assert ".grad" in problem(make, accumulate, accumulate, forgotten, **declared)


def test_a_tolerance_that_cannot_tell_a_step_from_none_is_narrowed_to_the_step():
    loose = dict(rtol=0.2, atol=0.2)
    assert verified(multi_tensor, tolerance=loose) == ""
    assert verified(without("step"), tolerance=loose).startswith("matches the reference")


def in_bfloat16(model, optimizer, scheduler, x):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.bfloat16):
        loss = loss_of(model, x)
    loss.backward()
    optimizer.step()
    scheduler.step()
    return loss.detach().float()


def test_a_step_in_a_lower_precision_passes_if_it_is_declared_and_its_tolerance_fits():
    declared = dict(mutates=STATE, tolerance=dict(rtol=5e-2, atol=1e-1))
    assert problem(inputs, baseline, baseline, in_bfloat16, lowers_precision="bf16", **declared) == ""
    assert problem(inputs, baseline, baseline, in_bfloat16, **declared) != "", "not without a word"


def test_training_state_that_is_not_named_may_not_change():
    said = verified(baseline, mutates=())
    assert "changes its argument `x0`" in said


def test_a_row_of_a_gradient_that_rounding_turned_is_no_error_and_more_of_them_are():
    def state(rows_off, factor=1.1):
        layer = torch.nn.Linear(32, 500)
        with torch.no_grad():
            layer.weight.copy_(torch.linspace(-1, 1, 500 * 32).reshape(500, 32))
            layer.bias.fill_(1.0)
        layer.weight.grad = layer.weight.detach().clone()
        layer.weight.grad[:rows_off] *= factor
        return layer

    tolerance = dict(rtol=1e-5, atol=1e-6)
    assert difference(state(1), state(0), tolerance).problem == ""
    assert "weight.grad" in difference(state(20), state(0), tolerance).problem
    assert "weight.grad" in difference(state(1, factor=2.0), state(0), tolerance).problem
    assert difference(state(1).weight.grad, state(0).weight.grad, tolerance).problem, "only in training state"


def normed(norm):
    def make(steps=3):
        layers = [torch.nn.Linear(8, 16), norm(16), torch.nn.ReLU(), torch.nn.Linear(16, 4)]
        model = torch.nn.Sequential(*layers)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)
        for _ in range(steps):
            baseline(model, optimizer, scheduler, torch.randn(64, 8))
        return model, optimizer, scheduler, torch.randn(64, 8)

    return make


NORMS = [torch.nn.BatchNorm1d, torch.nn.LayerNorm]


@pytest.mark.parametrize("norm", NORMS)
def test_a_step_that_is_smaller_than_the_tolerance_is_compared_all_the_same(norm):
    assert verified(multi_tensor, make=normed(norm)) == ""


def put_back(name):
    """A step that leaves one parameter as it was."""

    def variant(model, optimizer, scheduler, x):
        parameter = model.get_parameter(name)
        old = parameter.detach().clone()
        loss = baseline(model, optimizer, scheduler, x)
        parameter.data.copy_(old)
        return loss

    return variant


def at_half_the_rate(model, optimizer, scheduler, x):
    old = [parameter.detach().clone() for parameter in model.parameters()]
    loss = baseline(model, optimizer, scheduler, x)
    for parameter, before in zip(model.parameters(), old, strict=True):
        parameter.data.lerp_(before, 0.5)
    return loss


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("variant", [put_back("1.weight"), put_back("0.weight"), at_half_the_rate])
def test_a_step_that_is_left_out_or_halved_is_found_where_the_tolerance_alone_would_pass_it(norm, variant):
    assert "matches the reference" in verified(variant, make=normed(norm))


def test_a_parameter_whose_gradient_is_all_rounding_is_named_and_held_against_a_step():
    def far_off(model, optimizer, scheduler, x):
        loss = baseline(model, optimizer, scheduler, x)
        model[0].bias.data += 0.1  # a hundred steps
        return loss

    make = normed(torch.nn.BatchNorm1d)
    findings = findings_of(make, baseline, baseline, multi_tensor, mutates=STATE, tolerance=TOLERANCE)
    assert any("0.bias" in note and "all rounding" in note for note in findings.notes)
    assert "0.bias" in verified(far_off, make=make)
