"""Operators that copy, convert or fill memory are named if they take the step."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules import costly_operators, data_movement
from tests.diagnose.building import Program


def program(*operators, step=1000):
    """(name, microseconds) one after the other in every step."""
    made, start = Program(step=step), 0
    for name, length in operators:
        made.each_step(Kind.OPERATOR, name, start, start + length)
        start += length
    return made


@pytest.mark.parametrize(
    ("name", "kind"), [("aten::clone", "copies"), ("aten::to", "conversions"), ("aten::zeros", "fills")]
)
def test_the_kind_that_takes_most_is_in_the_title(name, kind):
    found = data_movement.find(program((name, 600), ("aten::cat", 100), ("aten::mm", 300)).evidence())
    assert kind in found.title and found.confidence == "high" and found.share == pytest.approx(0.7)
    assert name in found.evidence[0].text


def test_a_step_that_computes_may_copy_a_little():
    assert data_movement.find(program(("aten::clone", 200), ("aten::mm", 800)).evidence()) is None


def test_memory_traffic_of_a_gpu_is_left_to_other_rules():
    made = program(("aten::clone", 900), ("aten::mm", 100))
    for base in made.starts():
        made.kernel(base + 10, base + 990, launched=base)
    assert data_movement.find(made.evidence()) is None and costly_operators.find(made.evidence()) is None


@pytest.mark.parametrize("rule", [data_movement, costly_operators])
def test_without_a_trace_it_abstains(rule):
    assert isinstance(rule.find(Evidence()), Abstained)
