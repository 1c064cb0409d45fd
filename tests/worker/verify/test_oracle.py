"""The oracle of a pair without a reference: the baseline in double precision, or the baseline itself."""

import numpy
import pytest
import torch

from perfproof.core.tolerance import DEFAULT_TOLERANCE
from perfproof.worker.load import Side
from perfproof.worker.verify.case import Contract
from perfproof.worker.verify.oracle import Oracle


def oracle(baseline, prepare=None):
    return Oracle(Side("baseline", baseline, prepare))


def ask(found, *arguments, drawn=True, mutates=(), tolerance=DEFAULT_TOLERANCE):
    names = tuple(f"x{at}" for at in range(len(arguments)))
    contract = Contract(names, (), mutates, tolerance, "", "cpu")
    return found.answer(arguments, contract, "cpu", drawn)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float16, torch.complex64])
def test_numbers_of_torch_are_computed_in_double_precision(kind):
    found, x = oracle(lambda x: x * x), torch.randn(64).to(kind)
    result, _ = ask(found, x)
    assert found.in_double and "double" in found.said
    assert torch.finfo(result.dtype).eps == 2**-52 and x.dtype == kind


@pytest.mark.parametrize("draw", [lambda: numpy.ones(8, "f4") / 3, lambda: [numpy.ones(8, "f4") / 3]])
def test_so_are_arrays_also_inside_of_containers(draw):
    def baseline(x):
        return (x[0] if isinstance(x, list) else x) * numpy.float32(0.1)

    assert ask(oracle(baseline), draw())[0].dtype == numpy.float64


def test_so_is_a_module_and_the_one_that_was_drawn_stays_as_it_is():
    layer, x = torch.nn.Linear(4, 4), torch.randn(2, 4)
    assert ask(oracle(lambda layer, x: layer(x)), layer, x)[0].dtype == torch.float64
    assert layer.weight.dtype == torch.float32


def test_a_number_of_python_that_was_computed_in_double_precision_counts():
    found = oracle(lambda x: (x * x).sum().item())
    x = torch.randn(10_000)
    assert ask(found, x)[0] == pytest.approx((x.double() ** 2).sum().item(), rel=1e-14) and found.in_double


@pytest.mark.parametrize(
    "baseline",
    [
        lambda x: x @ torch.ones(8, 8),  # double and single do not multiply
        lambda x: x.float() * 2,  # the same type as before
        lambda x: (x.float() * 3).sum().item(),
        lambda x: x.argsort(),  # nothing was rounded
        lambda x: (x, x.float() / 3),  # only one of two parts
        lambda x: torch.round(x.sum() * 1e6 / 3),  # turns on a rounding
    ],
    ids=["raises", "same type", "same number", "whole numbers", "one part", "turns"],
)
def test_a_baseline_that_has_no_such_answer_is_its_own_oracle(baseline):
    found, x = oracle(baseline), torch.randn(4, 8) * 1e3
    answer, _ = ask(found, x, tolerance=dict(rtol=0.0, atol=0.0))
    assert not found.in_double and "precision was not judged" in found.said
    expected = baseline(x)
    assert repr(answer) == repr(expected)


def test_double_precision_from_the_start_leaves_nothing_to_widen():
    found = oracle(lambda x: x * x)
    ask(found, torch.randn(4, dtype=torch.float64))
    assert not found.in_double


def test_only_drawn_values_decide():
    """Far from zero float32 loses the variance: that is the baseline's error, and the oracle does not share it."""
    found, x = oracle(lambda x: (x * x).mean(-1) - x.mean(-1) ** 2), torch.randn(4, 64)
    ask(found, x)
    far = x + 1e4
    answer, _ = ask(found, far, drawn=False)
    assert found.in_double
    torch.testing.assert_close(answer, far.double().var(-1, correction=0), rtol=1e-6, atol=1e-6)


def test_values_made_in_double_precision_are_rounded_for_a_baseline_that_needs_its_own_type():
    found, x = oracle(lambda x: x @ torch.ones(8, 8)), torch.randn(4, 8)
    ask(found, x)
    assert ask(found, x.double() + 1, drawn=False)[0].dtype == torch.float32


def test_what_the_baseline_changes_in_place_is_an_answer_too():
    def baseline(x, y):
        x += y / 3

    x, y = torch.randn(8), torch.randn(8)
    before = x.clone()
    _, changed = ask(oracle(baseline), x, y, mutates=("x0",))
    assert changed["x0"].dtype == torch.float64 and torch.equal(x, before)


def test_a_prepared_baseline_is_prepared_for_what_it_is_asked():
    found = oracle(lambda ready, x: ready * x, lambda x: x.new_full((), 1 / 3))
    assert ask(found, torch.randn(8))[0].dtype == torch.float64


def test_an_answer_stays_when_the_baseline_writes_into_its_buffer_again():
    buffer = torch.empty(4)
    found = oracle(lambda x: torch.mul(x.float(), 2, out=buffer))
    first, _ = ask(found, torch.ones(4))
    ask(found, torch.zeros(4))
    assert torch.equal(first, torch.full((4,), 2.0))
