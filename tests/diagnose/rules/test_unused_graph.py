"""A model that runs with gradients recorded and no backward pass is found; training and inference are not."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose import cpu_traces
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.unused_graph import find
from perfproof.profile.readers.kineto import GRADIENT
from tests.diagnose.building import Program


def evaluation(number, more=None):
    """Eight operators of a model per step, each with what `number` gives for it as torch's number, if it gives any."""
    program, count = Program(), 0
    for start in program.starts():
        for layer in range(8):
            args, count = {} if number(count) is None else {GRADIENT: number(count)}, count + 1
            program.add(Kind.OPERATOR, "aten::linear", start + 100 * layer, start + 100 * layer + 90, args=args)
    if more:
        program.each_step(*more, 900, 950)
    return program.evidence()


def test_an_evaluation_that_records_gradients_is_found():
    found = find(evaluation(lambda count: count))
    assert found.confidence == "medium" and "no_grad" in found.advice


@pytest.mark.parametrize(
    "more", [(Kind.OPERATOR, f"{cpu_traces.BACKWARD}: AddmmBackward0"), (Kind.RANGE, "Optimizer.step#SGD.step")]
)
def test_a_program_that_trains_uses_them(more):
    assert find(evaluation(lambda count: count, more)) is None


def test_operators_of_weights_without_gradients_get_no_new_number():
    assert find(evaluation(lambda count: 7)) is None


def test_operators_under_no_grad_get_none():
    assert find(evaluation(lambda count: None)) is None


def test_without_a_trace_the_rule_abstains():
    assert isinstance(find(Evidence()), Abstained)
