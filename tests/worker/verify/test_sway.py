"""State that rounding decides for the baseline too is excused, and nothing else is."""

from functools import partial

import pytest
import torch

from perfproof.worker.verify import extremes
from perfproof.worker.verify.case import Contract
from perfproof.worker.verify.compare import Difference, answer_difference
from perfproof.worker.verify.sway import apart_from
from perfproof.worker.verify.training_state import changed_by_reference
from tests.worker.verify.cases import make_case

TOLERANCE = dict(rtol=1e-3, atol=1e-4)
NAMES = ("model", "optimizer", "x")


def drawn(seed, make=torch.optim.Rprop):
    """The bias before a batch norm has a gradient that is all rounding, and Rprop goes by its sign."""
    torch.manual_seed(seed)
    model = torch.nn.Sequential(
        torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 4)
    )
    optimizer = make(model.parameters(), lr=1e-3)
    for _ in range(3):
        step(model, optimizer, torch.randn(64, 8))
    return model, optimizer, torch.randn(64, 8)


def step(model, optimizer, x):
    optimizer.zero_grad()
    x = x.to(model[0].weight.dtype)
    (model(x) - x[:, :4]).square().mean().backward()
    optimizer.step()


def judged(arguments, variant, baseline=step, excuse=True):
    """What is wrong about a variant, beside the same step in double precision."""
    contract = Contract(NAMES, (), ("model", "optimizer"), TOLERANCE, "", "cpu")

    def answer(function, own):
        function(*own)
        return None, dict(model=own[0], optimizer=own[1])

    exact = contract.copied(arguments)
    exact[0].double()
    for state in exact[1].state.values():
        state |= {name: value.double() for name, value in state.items() if name != "step"}
    right = answer(step, exact)
    expected = right[0], changed_by_reference(right[1], dict(zip(NAMES, arguments, strict=True)))
    found = answer(variant, contract.copied(arguments))
    if not excuse:
        return answer_difference(found, expected, TOLERANCE, arguments).problem
    return apart_from(found, expected, contract, arguments, partial(answer, baseline)).problem


def multi_tensor(model, optimizer, x):
    optimizer.param_groups[0]["foreach"] = True
    step(model, optimizer, x)


def test_a_sign_that_rounding_turns_is_excused():
    draws = [drawn(seed) for seed in range(2)]
    assert any(judged(one, multi_tensor, excuse=False) for one in draws), "these draws show nothing"
    assert [judged(one, multi_tensor) for one in draws] == [""] * 2


def put_back(name):
    def variant(model, optimizer, x):
        old = model.get_parameter(name).detach().clone()
        step(model, optimizer, x)
        model.get_parameter(name).data.copy_(old)

    return variant


def some_signs(model, optimizer, x):
    """A step the wrong way in a few elements of a weight."""
    old = model[0].weight.detach().clone()
    step(model, optimizer, x)
    weight = model[0].weight.data
    weight[:2] = 2 * old[:2] - weight[:2]


def far_off(model, optimizer, x):
    step(model, optimizer, x)
    model[0].bias.data += 0.5


@pytest.mark.parametrize(
    ("variant", "part"),
    [
        (put_back("0.weight"), "0.weight"),
        (some_signs, "0.weight"),
        (far_off, "0.bias"),
    ],
)
def test_a_wrong_step_is_found_beside_state_that_is_excused(variant, part):
    assert f"part {part}" in judged(drawn(0), variant)


def random(model, optimizer, x):
    step(model, optimizer, x)
    model[3].weight.data += 0.1 * torch.randn(4, 16)  # less than a tenth of the state


def chaotic(model, optimizer, x):
    step(model, optimizer, x)
    model[0].weight.data += 0.1 * torch.sin(1e8 * x.sum())


@pytest.mark.parametrize(("baseline", "part"), [(random, "3.weight"), (chaotic, "0.weight")])
def test_a_baseline_that_does_not_answer_alike_twice_or_is_chaotic_excuses_nothing(baseline, part):
    assert f"part {part}" in judged(drawn(0, torch.optim.SGD), put_back(part), baseline)


def test_a_gradient_that_is_not_there_is_no_exception():
    def released(model, optimizer, x):
        step(model, optimizer, x)
        optimizer.zero_grad()

    assert judged(drawn(0), released) == ""


def by_sign(model, x):
    """A step by the sign of gradients."""
    model.zero_grad()
    model(x.to(model[0].weight.dtype)).pow(3).mean().backward()
    for parameter in model.parameters():
        parameter.data -= 1e-2 * parameter.grad.sign()
    model.zero_grad()


def in_another_order(model, x):
    by_sign(model, x.flip(0).roll(5, 0))


def wrong_for_zeros(model, x):
    by_sign(model, x)
    if not bool(x.any()):
        model[2].bias.data += 0.5


def test_a_sign_that_rounding_turns_at_extremes_is_excused_and_a_wrong_step_there_is_not():
    def draw():
        layers = torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.Linear(16, 4)
        return torch.nn.Sequential(*layers), torch.randn(33, 8)

    def said(variant):
        torch.manual_seed(0)
        return extremes.check(make_case(draw, by_sign, by_sign, variant, tolerance=TOLERANCE, mutates=("x0",)))[0]

    assert said(in_another_order) == ""
    assert "values all zero" in said(wrong_for_zeros)


@pytest.mark.parametrize(
    ("moved", "wrong", "is_excused"),
    [(0.02, 0.01, True), (0.05, 0.01, False), (0.02, 0.2, False)],
    ids=["as rounding does", "farther than rounding moves", "more than rounding turns"],
)
def test_what_differs_is_held_against_what_rounding_does_to_the_baseline(moved, wrong, is_excused):
    near = [Difference(max_absolute=0.01, wrong=0.005), Difference(max_absolute=0.02, wrong=0.01)]
    assert extremes._is_swayed(Difference(max_absolute=moved, wrong=wrong), near) is is_excused
    assert not extremes._is_swayed(Difference(max_absolute=moved, wrong=wrong), [Difference()])
