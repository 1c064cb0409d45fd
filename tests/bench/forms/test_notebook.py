"""perfproof.compare: two functions at hand."""

import pytest
import torch

import perfproof
from perfproof.bench.forms import notebook
from perfproof.core.errors import UsageError
from perfproof.core.options import EFFORTS
from tests.conftest import SMALL


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


def test_a_wrong_answer_gets_no_number():
    answer = notebook.compare(slow, lambda x: torch.sigmoid(x), lambda: torch.randn(5000))
    assert answer.ratio is None and str(answer).startswith("failed-verification: ")


class Tanh(torch.nn.Module):
    def forward(self, x, times=6):
        for _ in range(times):
            y = torch.tanh(x)
        return y


def test_a_module_and_a_function_of_a_module_with_a_default_are_compared(tmp_path, monkeypatch):
    (tmp_path / "own_tanh.py").write_text("import torch\n\n\ndef tanh(x, times=1):\n    return torch.tanh(x)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import own_tanh

    answer = notebook.compare(Tanh(), own_tanh.tanh, lambda: torch.randn(5000), effort="quick")
    assert answer.document.status == "ok" and answer.ratio > 1.5, answer
    assert answer.document.target == "Tanh against tanh"
    assert "W114" in {warning.code for warning in answer.document.warnings}, "without a reference f is the oracle"


@pytest.mark.parametrize(
    ("f", "g", "names"),
    [
        (lambda x, y: x, lambda a, b: a, ("x", "y")),
        (lambda x, y, z=1: x, lambda *all: all[0], ("x", "y")),
        (lambda *all: all[0], lambda a, b: a, ("a", "b")),
        (torch.nn.Bilinear(2, 2, 2), lambda *all: all[0], ("input1", "input2")),
        (lambda *all: all, max, ("x0", "x1")),
    ],
)
def test_arguments_are_named_as_a_function_names_them(f, g, names):
    assert notebook._argument_names(f, g, (1, 2)) == names


def test_a_function_that_cannot_take_what_is_drawn_is_refused():
    with pytest.raises(UsageError, match="g cannot take the one value that inputs"):
        notebook.compare(lambda x: x, lambda x, y: x, lambda: torch.randn(3))
