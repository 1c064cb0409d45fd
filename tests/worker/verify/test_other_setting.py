"""The answers of one setting, held against those of another: what is wrong, what is alike, what cannot be told."""

from types import SimpleNamespace

import pytest
import torch

from perfproof.worker.verify.case import Contract
from perfproof.worker.verify.other_setting import hold_against, keep_answers

TOLERANCE = {"rtol": 1e-4, "atol": 1e-6}


def contract(**fields):
    values = dict(names=("x",), constant=(), mutates=(), tolerance=TOLERANCE, lowers_precision="", device="cpu")
    return Contract(**values | fields)


def draws(seed=5):
    generator = torch.Generator().manual_seed(seed)
    return SimpleNamespace(draw=lambda: (torch.randn(40, generator=generator),))


def answer(function):
    return lambda own: (function(*own), {})


def held(first, second, tmp_path, seed=5):
    kept = keep_answers(answer(first), draws(), contract(), tmp_path / "kept")
    return hold_against(answer(second), draws(seed), contract(), tmp_path / "kept", kept)


@pytest.mark.parametrize(
    ("second", "result"),
    [
        (lambda x: x.cumsum(0), "pass"),
        (lambda x: x.double().cumsum(0).float(), "pass"),
        (lambda x: x.cumsum(0) * 1.01, "fail"),
        (lambda x: torch.cat([x.cumsum(0)[:-1], torch.zeros(1)]), "fail"),
    ],
)
def test_the_second_side_has_to_answer_what_the_first_does(second, result, tmp_path):
    assert held(lambda x: x.cumsum(0), second, tmp_path).result == result


def test_other_inputs_of_the_second_side_leave_it_undecided(tmp_path):
    check = held(torch.sin, torch.sin, tmp_path, seed=6)
    assert check.result == "not-run" and "`inputs` drew other values" in check.detail


def test_answers_that_cannot_be_kept_leave_it_undecided(tmp_path):
    check = held(lambda x: lambda: x, torch.sin, tmp_path)
    assert check.result == "not-run" and "cannot be handed" in check.detail


def test_an_error_as_of_a_lower_precision_says_how_to_declare_one(tmp_path):
    check = held(torch.sin, lambda x: torch.sin(x.half()).float(), tmp_path)
    assert check.result == "fail" and "lowers_precision" in check.detail


def test_answers_that_were_replaced_are_not_believed(tmp_path):
    kept = keep_answers(answer(torch.sin), draws(), contract(), tmp_path / "kept")
    keep_answers(answer(torch.cos), draws(), contract(), tmp_path / "kept")
    check = hold_against(answer(torch.cos), draws(), contract(), tmp_path / "kept", kept)
    assert check.result == "fail" and "replaced" in check.detail


def test_what_a_call_changes_is_part_of_its_answer(tmp_path):
    def changing(factor):
        return lambda own: (None, {"x": own[0].mul_(factor)})

    asked = contract(mutates=("x",))
    for factor, result in ((2.0, "pass"), (2.1, "fail")):
        kept = keep_answers(changing(2.0), draws(), asked, tmp_path / "kept")
        assert hold_against(changing(factor), draws(), asked, tmp_path / "kept", kept).result == result
