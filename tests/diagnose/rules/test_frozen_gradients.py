"""A backward pass that goes on to weights without an optimizer is found; weights that are updated somehow are not."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.frozen_gradients import GRADIENT, find
from tests.diagnose.building import Program

HEAD, BODY = [10, 256], [256, 1024]


def training(*passes, updates=(HEAD,), in_place=None, marked=True):
    """Each pass: (microseconds, shape of the weight that gets its gradient at their end), one after the other."""
    program, now = Program(), 100
    for one in passes:
        program.each_step(Kind.OPERATOR, "aten::linear", now, now + 50)
        now += 50
        for us, shape in one:
            node = "autograd::engine::evaluate_function: "
            program.each_step(Kind.OPERATOR, f"{node}AddmmBackward0", now, now + us - 10)
            program.each_step(Kind.OPERATOR, f"{node}{GRADIENT}", now + us - 10, now + us)
            program.each_step(Kind.OPERATOR, GRADIENT, now + us - 9, now + us - 1, args={"Input Dims": [shape]})
            now += us
    if in_place:
        program.each_step(Kind.OPERATOR, in_place, now, now + 10, args={"Input Dims": [BODY, BODY, []]})
        now += 10
    if marked:
        program.each_step(Kind.RANGE, "Optimizer.step#AdamW.step", now, now + 100)
    program.each_step(Kind.OPERATOR, "aten::_fused_adamw_", now + 10, now + 90, args={"Input Dims": [[*updates], []]})
    return program.evidence()


def test_gradients_after_the_last_one_that_is_used_are_lost():
    found = find(training([(100, HEAD), (400, BODY)]))
    assert found.share == pytest.approx(0.4) and found.confidence == "high" and "[256, 1024]" in found.evidence[0].text


def test_every_pass_of_an_accumulated_step_counts():
    found = find(training([(50, HEAD), (200, BODY)], [(50, HEAD), (200, BODY)]))
    assert found.share == pytest.approx(0.4)


def test_a_frozen_part_before_a_trained_one_costs_no_pass():
    assert find(training([(400, BODY), (100, HEAD)])) is None


@pytest.mark.parametrize("operator", ["aten::sub_", "aten::add_", "aten::_foreach_add_"])
def test_weights_that_the_program_updates_by_hand_are_used(operator):
    assert find(training([(100, HEAD), (400, BODY)], in_place=operator)) is None


@pytest.mark.parametrize("operator", ["aten::zero_", "aten::_foreach_mul_"])
def test_clearing_and_clipping_gradients_does_not_use_them(operator):
    assert find(training([(100, HEAD), (400, BODY)], in_place=operator)).share == pytest.approx(0.4)


def test_weights_that_are_all_updated_are_fine():
    assert find(training([(100, HEAD), (400, BODY)], updates=(HEAD, BODY))) is None


def test_a_pass_for_another_optimizer_is_left_alone():
    """As a discriminator gets gradients in the generator's pass."""
    assert find(training([(100, HEAD)], [(400, BODY)])) is None


def test_an_optimizer_that_is_not_marked_says_nothing():
    assert find(training([(100, HEAD), (400, BODY)], marked=False)) is None


def test_without_a_trace_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
