"""Waiting for the next batch, on a GPU and without one."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.rules.input_bound import NO_MARK, find
from tests.diagnose.building import Program

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def waiting(until, thread=1):
    program = Program()
    program.each_step(Kind.RANGE, LOADER, 0, until, thread=thread)
    program.each_step(Kind.OPERATOR, "aten::mm", until, 1000)
    return program


def test_on_a_cpu_all_of_the_wait_counts():
    found = find(waiting(300).evidence())
    assert found.share == pytest.approx(0.3) and found.confidence == "high"
    assert "300 µs a step" in found.evidence[0].text and "synthetic" in found.experiment


def test_on_a_gpu_only_the_part_in_which_it_is_idle_counts():
    program = waiting(300)
    program.busy(200, 1000)
    assert find(program.evidence()).share == pytest.approx(0.2)


def test_a_wait_that_the_gpu_does_not_notice_is_nothing():
    program = waiting(300)
    program.busy(0, 1000)
    assert find(program.evidence()) is None


def test_a_range_of_the_users_own_is_known_by_its_name():
    program = Program()
    program.each_step(Kind.RANGE, "next_batch", 0, 120)
    assert find(program.evidence()).share == pytest.approx(0.12)


def test_a_short_wait_is_nothing():
    assert find(waiting(40).evidence()) is None


def test_a_loader_thread_that_loads_ahead_does_not_make_the_step_wait():
    assert isinstance(find(waiting(900, thread=99).evidence()), Abstained)


def test_without_marks_it_abstains_unless_no_device_ever_waits():
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::mm", 0, 1000)
    assert find(program.evidence()) == Abstained(rule="input_bound", missing=NO_MARK)
    program.busy(0, 990)
    assert find(program.evidence()) is None
