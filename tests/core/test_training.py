"""The state of training: copied with its gradients, joined as it was, and told apart from settings."""

import random

import pytest
import torch

from perfproof.core.training import is_stateful, to_double
from perfproof.core.trees import buffers, clone, leaves, settings


def training(kind=torch.optim.AdamW, steps=1, **options):
    """A model, its optimizer and a scheduler, after some steps, with gradients."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    optimizer = kind(model.parameters(), lr=0.1, **options)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for _ in range(steps):
        step(model, optimizer, scheduler, torch.randn(8, 3))
    return model, optimizer, scheduler


def step(model, optimizer, scheduler, x):
    optimizer.zero_grad()
    model(x.to(model[0].weight.dtype)).square().mean().backward()
    optimizer.step()
    scheduler.step()


def values(value):
    return {".".join(path): leaf for path, leaf in leaves(value)}


def test_gradients_and_moments_are_copied():
    original = training()
    ours, theirs = values(clone(original)), values(original)
    assert ours.keys() == theirs.keys() and {"0.0.weight.grad", "1.state.0.exp_avg_sq"} <= ours.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_a_copy_shares_no_memory_and_stays_joined():
    original = training()
    copied = clone(original)
    addresses = [{one.data_ptr() for one in buffers(value)} for value in (original, copied)]
    assert not addresses[0] & addresses[1]
    model, optimizer, scheduler = copied
    assert optimizer.param_groups[0]["params"][0] is model[0].weight and scheduler.optimizer is optimizer
    before = model[0].weight.detach().clone()
    step(*copied, torch.randn(8, 3))
    assert not torch.equal(model[0].weight, before)
    assert torch.equal(original[0][0].weight, before)


def test_parameters_in_a_list_stay_those_of_the_module_in_any_order():
    model, *_ = training(steps=0)
    for arguments in ((list(model.parameters()), model), (model, list(model.parameters()))):
        copied = sorted(clone(arguments), key=lambda one: isinstance(one, torch.nn.Module))
        assert all(ours is theirs for ours, theirs in zip(copied[0], copied[1].parameters(), strict=True))


@pytest.mark.parametrize("options", [{}, dict(foreach=True), dict(fused=True), dict(amsgrad=True)])
def test_everything_is_doubled_in_place_and_can_go_on(options):
    model, optimizer, scheduler = clone(training(**options))
    for value in (optimizer, model, scheduler):
        to_double(value)
    kinds = {name: leaf.dtype for name, leaf in values((model, optimizer)).items()}
    narrow = {name for name, kind in kinds.items() if kind != torch.float64}
    assert all(name.endswith((".step", "num_batches_tracked")) for name in narrow)
    assert optimizer.param_groups[0]["params"][0] is model[0].weight
    step(model, optimizer, scheduler, torch.randn(8, 3))


def test_settings_are_no_state_but_those_that_move_are_known():
    arguments = training()
    optimizer = arguments[1]
    assert not any("lr" in name or "eps" in name for name in values(arguments))
    before = settings(arguments)
    optimizer.param_groups[0]["foreach"] = True
    assert settings(arguments).changed_since(before) == {}
    step(*arguments, torch.randn(8, 3))
    moved = settings(arguments).changed_since(before)
    assert moved["1.param_groups.0.lr"] == pytest.approx(0.025)
    assert {"2.last_epoch", "2._last_lr.0"} <= moved.keys() and "1.param_groups.0.eps" not in moved


def test_a_gradient_scaler_s_scale_is_a_setting():
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    before = settings([scaler])
    scaler.scale(torch.ones(1))
    scaler.update(4.0)
    assert settings([scaler]).changed_since(before) == {"0.scale": 4.0}
    assert settings([clone(scaler)]) == settings([scaler])


def test_a_generator_is_its_state():
    for generator in (torch.Generator().manual_seed(3), random.Random(3)):
        copied = clone(generator)
        assert is_stateful(generator) and copied is not generator
        draw = (lambda one: one.random()) if isinstance(generator, random.Random) else draw_tensor
        assert draw(copied) == draw(generator)


def draw_tensor(generator):
    return torch.rand(1, generator=generator).item()


def test_gradients_of_plain_tensors_are_copied_too():
    x = torch.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    copied = clone([x])[0]
    assert torch.equal(copied.grad, x.grad) and copied.grad is not x.grad
