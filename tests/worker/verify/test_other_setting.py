"""A second revision or environment has to give the answers of the first, on the values that the first has drawn."""

import pytest
import torch

from perfproof.worker.verify import other_setting
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(
    names=("x",), constant=(), mutates=(), tolerance=dict(rtol=1e-5, atol=1e-6), lowers_precision="", device="cpu"
)
X, OTHER, SHORTER = torch.linspace(1, 2, 9), torch.linspace(3, 4, 9), torch.linspace(1, 2, 5)


def compared(tmp_path, first, second, drawn=X):
    path = str(tmp_path / "answers")
    assert other_setting.check(path, lambda own: (first(*own), {}), CONTRACT, (X,)) == ("", "")
    return other_setting.check(path, lambda own: (second(*own), {}), CONTRACT, (drawn,))


@pytest.mark.parametrize("drawn", [X, OTHER])
def test_the_same_answers_are_found_equal_whatever_the_second_draws(tmp_path, drawn):
    assert compared(tmp_path, lambda x: x.sum(), lambda x: x.flip(0).sum(), drawn) == ("", "")


def test_another_answer_is_a_problem(tmp_path):
    problem, _ = compared(tmp_path, lambda x: x.sum(), lambda x: x[:-1].sum())
    assert problem.endswith("expected is the answer in the first setting")


def test_an_exception_of_the_second_alone_is_a_problem(tmp_path):
    assert compared(tmp_path, lambda x: x.sum(), lambda x: x.nothing)[0].startswith("raises AttributeError")


def test_other_sizes_are_said(tmp_path):
    problem, note = compared(tmp_path, lambda x: x.sum(), lambda x: x.sum(), SHORTER)
    assert problem == "" and note.startswith("`inputs` draws other sizes")


def test_what_cannot_travel_is_not_compared_and_said(tmp_path):
    problem, note = compared(tmp_path, lambda x: (n for n in range(3)), lambda x: x)
    assert problem == "" and note.startswith("answers of the two settings were not compared")
