"""A validation in every training step is named; a teacher is a suspicion, and what gets gradients is nothing."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.validation import find
from perfproof.profile.readers.kineto import GRADIENT
from tests.diagnose.building import Program
from tests.diagnose.test_sampled import stacks


def training(without_gradient=600, backward=True):
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::linear", 0, 100, args={GRADIENT: True})
    program.each_step(Kind.OPERATOR, "aten::linear", 100, 100 + without_gradient)
    if backward:
        program.each_step(Kind.OPERATOR, "autograd::engine::evaluate_function: AddmmBackward0", 800, 1000)
    return program


def lines_of(function):
    return stacks(
        f"fit (a.py:9);{function} (a.py:3);torch.nn.functional:linear;[aten::linear] 600",
        "fit (a.py:8);torch.nn.functional:linear;[aten::linear] 400",
    )


@pytest.mark.parametrize(
    "function", ["validate", "_evaluate", "run_validation", "validation_step", "eval_model", "backtest"]
)
def test_a_validation_in_every_step_is_named_with_its_line(function):
    found = find(training().evidence(stacks=lines_of(function)))
    assert found.confidence == "high" and found.share == pytest.approx(0.6)
    assert f"{function} (a.py:3)" in found.evidence[-1].text


def test_all_operators_of_the_pass_count_and_those_of_an_optimizer_do_not():
    program = Program()
    for name, start, end, args in (
        ("aten::linear", 0, 100, {GRADIENT: 1}),
        ("autograd::engine::evaluate_function: AddmmBackward0", 100, 300, {}),
        ("aten::addcdiv_", 300, 500, {}),
        ("aten::linear", 500, 600, {}),
        ("aten::gelu", 600, 800, {}),
        ("aten::linear", 800, 900, {}),
        ("aten::mean", 900, 950, {}),
    ):
        program.each_step(Kind.OPERATOR, name, start, end, args=args)
    assert find(program.evidence(stacks=lines_of("validate"))).share == pytest.approx(0.4)


@pytest.mark.parametrize("function", ["teacher_logits", "retrieval", "invalid_rows", "medieval"])
def test_another_pass_without_gradients_is_a_suspicion(function):
    assert find(training().evidence(stacks=lines_of(function))).confidence == "low"


def test_an_evaluation_that_gets_gradients_is_the_training_itself():
    """As PPO evaluates its actions."""
    assert find(training(without_gradient=0).evidence(stacks=lines_of("evaluate_actions"))) is None


def test_an_evaluation_without_training_is_no_finding():
    assert find(training(backward=False).evidence(stacks=lines_of("evaluate"))) is None


def test_without_a_trace_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
