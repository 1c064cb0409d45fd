"""perfproof.compare: two functions at hand."""

import pytest
import torch

import perfproof
from perfproof.bench import notebook
from perfproof.core.errors import UsageError
from perfproof.core.options import EFFORTS

from ..conftest import SMALL


@pytest.fixture(autouse=True)
def small_effort(monkeypatch):
    monkeypatch.setitem(EFFORTS, "standard", SMALL)


def slow(x):
    for _ in range(6):
        y = torch.tanh(x)
    return y


def test_compare_verifies_measures_and_says_it_in_a_sentence():
    answer = perfproof.compare(
        slow, lambda x: torch.tanh(x), lambda: torch.randn(5000), reference=lambda x: x.double().tanh()
    )
    assert answer.verdict == "faster" and answer.ratio > 2, answer
    assert str(answer).startswith("faster: ") and "[" in str(answer)
    assert "W114" not in {warning.code for warning in answer.document.warnings}


def test_without_a_reference_the_first_function_is_the_oracle_and_that_is_said():
    answer = notebook.compare(slow, slow, lambda: torch.randn(5000), effort="quick")
    assert "W114" in {warning.code for warning in answer.document.warnings}


def test_a_wrong_answer_gets_no_number():
    answer = notebook.compare(slow, lambda x: torch.sigmoid(x), lambda: torch.randn(5000))
    assert answer.ratio is None and str(answer).startswith("failed-verification: ")


def test_functions_that_take_different_arguments_are_refused():
    with pytest.raises(UsageError, match="f takes 1 arguments, g 2"):
        notebook.compare(lambda x: x, lambda x, y: x, lambda: torch.randn(3))
