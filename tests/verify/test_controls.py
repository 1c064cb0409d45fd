"""The checker's own test: a tolerance that passes a wrong answer is refused, whatever shape the answer has."""

import math

import numpy
import pytest
import torch

from perfproof.verify import controls

TIGHT = dict(rtol=1e-5, atol=1e-6)


def check(reference, arguments=(), example=None, tolerance=TIGHT):
    return controls.test_the_checker(reference, arguments, reference if example is None else example, tolerance)


def test_a_tight_tolerance_catches_every_wrong_answer():
    x = torch.randn(10, 10)
    found = check((x @ x).double(), (x,), x @ x)
    assert (found.name, found.result) == ("tolerance can fail", "pass")
    assert found.detail == "caught: zeros, noise, shuffled, off by one tile, the input"


def test_a_tolerance_that_cannot_fail_is_named_with_what_it_passes():
    found = check(torch.randn(10, 10), tolerance=dict(rtol=0.0, atol=10.0))
    assert found.result == "fail"
    assert found.detail.startswith("zeros passes: worst difference ")
    assert "of the tolerance; tighten rtol and atol to the rounding of the output's type" in found.detail


def test_a_tolerance_as_wide_as_the_spread_passes_noise():
    found = check(torch.rand(100) * 0.2 + 100.0, tolerance=dict(rtol=0.0, atol=5.0))
    assert found.result == "fail" and found.detail.startswith("noise passes")


def test_what_is_the_right_answer_by_chance_does_not_apply():
    x = torch.randn(100)
    found = check(x.double(), (x,), x)
    assert found.result == "pass"
    assert found.detail == "caught: zeros, noise, shuffled, off by one tile; not applicable: the input"


def test_zeros_that_are_right_do_not_apply_and_noise_does():
    found = check((torch.zeros(10), torch.randn(10)))
    assert found.result == "pass", found.detail


def test_every_part_is_tested_by_itself():
    keyed = dict(float32=TIGHT, float16=dict(rtol=0.0, atol=100.0))
    found = check({"good": torch.randn(10), "bad": torch.randn(10).half()}, tolerance=keyed)
    assert found.result == "fail" and found.detail.startswith("zeros passes for part bad")


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan])
def test_an_infinite_element_does_not_excuse_the_tolerance(odd):
    answer = torch.randn(100)
    answer[7] = odd
    assert check(answer, tolerance=dict(rtol=0.0, atol=10.0)).result == "fail"
    assert check(answer).result == "pass"


@pytest.mark.parametrize("nothing", [torch.empty(0), torch.full((5,), math.nan), None, ()])
def test_a_result_without_values_is_refused(nothing):
    found = controls.test_the_checker(nothing, (), nothing, TIGHT)
    assert found.result == "fail"
    assert found.detail == "only 0 wrong answers apply (): return more than a constant or the input"


@pytest.mark.parametrize(
    "answer",
    [
        torch.randint(0, 100, (50,)),
        torch.rand(50) < 0.5,
        torch.randn(50, dtype=torch.complex64),
        torch.randn(50).bfloat16(),
        torch.randn(50).to(torch.float8_e4m3fn),
        torch.randn(1),
        torch.tensor(3.0),
        numpy.random.randn(50),
        numpy.random.randint(0, 100, 50),
        numpy.random.rand(50) < 0.5,
        3.5,
        7,
        True,
        1 + 2j,
        "text",
        b"bytes",
    ],
    ids=lambda answer: f"{type(answer).__name__}-{getattr(answer, 'dtype', '')}",
)
def test_controls_can_be_made_of_every_kind_of_answer(answer):
    found = check(answer)
    assert found.result == "pass", found.detail
    assert "zeros" in found.detail or "noise" in found.detail


def test_controls_have_the_example_s_type():
    wrong = dict(controls.wrong_answers(torch.randn(50).half(), ()))
    assert {value.dtype for value in wrong.values()} == {torch.float16}
    arrays = dict(controls.wrong_answers(numpy.random.randn(50).astype(numpy.float32), ()))
    assert {value.dtype for value in arrays.values()} == {numpy.dtype("float32")}


def test_the_answer_itself_is_left_alone():
    answer = torch.randn(50)
    before = answer.clone()
    list(controls.wrong_answers(answer, ()))
    assert torch.equal(answer, before)
