"""Waits of the host inside the step, and the idle time that follows them."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.rules import launch_bound
from perfproof.diagnose.rules.host_sync import find
from tests.diagnose.building import Program


def synced(times, gap):
    """A step cut into equal parts: work, then a wait that ends with it, then a gap until the next launch arrives."""
    program = Program()
    part = 1000 // times
    for base in program.starts():
        for place in range(times):
            start = base + place * part
            program.kernel(start + gap, start + part, launched=start + gap - 8)
            program.add(Kind.OPERATOR, "aten::item", start + gap + 2, start + part + 3)
            program.add(Kind.RUNTIME, "cudaStreamSynchronize", start + gap + 5, start + part + 2)
    return program


def test_five_waits_a_step_with_fifty_idle_microseconds_each_lose_a_quarter():
    found = find(synced(times=5, gap=50).evidence())
    assert found.share == pytest.approx(0.25) and found.confidence == "high"
    assert "5.0 synchronising calls per step" in found.evidence[0].text
    assert "5.0 per step from aten::item" in found.evidence[-1].text


def test_many_waits_that_cost_nothing_are_a_low_word():
    found = find(synced(times=2, gap=12).evidence())
    assert found.confidence == "low" and found.share == pytest.approx(0.024)


def test_short_gaps_after_many_waits_add_up():
    found = find(synced(times=25, gap=10).evidence())
    assert found.share == pytest.approx(0.25) and found.confidence == "high"


def test_one_wait_a_step_is_what_programs_do():
    assert find(synced(times=1, gap=25).evidence()) is None  # 2.5 %


def test_one_wait_a_step_that_costs_much_is_found():
    assert find(synced(times=1, gap=80).evidence()).share == pytest.approx(0.08)


def test_waits_of_a_thread_that_launches_nothing_are_not_the_steps():
    program = synced(times=1, gap=25)
    for place in range(0, 1000, 100):
        program.each_step(Kind.RUNTIME, "cudaEventSynchronize", place, place + 90, thread=9)
    assert find(program.evidence()) is None


def test_a_program_that_never_waits_is_silent():
    program = Program()
    program.busy(0, 900)
    assert find(program.evidence()) is None


def test_without_runtime_calls_it_abstains():
    program = Program()
    program.work(1000, 2000)
    assert isinstance(find(program.evidence()), Abstained)


def watching(values, between):
    """Each value has two kernels of its own, 2 µs each, and is read; then comes the step's work."""
    program = Program(step=10_000)
    for base in program.starts():
        for place in range(values):
            start = base + place * between
            program.kernel(start + 10, start + 12, launched=start + 1, call=8)
            program.kernel(start + 50, start + 52, launched=start + 40, call=8)
            program.add(Kind.OPERATOR, "aten::item", start + 49, start + 90)
            program.add(Kind.RUNTIME, "cudaStreamSynchronize", start + 51, start + 80)
        program.kernel(base + values * between + 10, base + 10_000, launched=base + values * between, call=8)
    return program.evidence()


def test_values_that_are_read_one_by_one_take_all_of_the_time_in_between():
    found = find(watching(values=90, between=100))
    assert found.title == "values are read from the GPU one by one" and "torch.stack(values).tolist()" in found.advice
    assert found.share == pytest.approx(0.9 * 0.96, abs=0.02)  # of each 100 µs the GPU works 4
    launching = launch_bound.find(watching(values=90, between=100))
    assert launching.parts["host_sync"] == pytest.approx(0.9 * 0.38, abs=0.02)  # between the two kernels


def test_few_values_are_waits_like_others():
    found = find(watching(values=10, between=600))
    assert found.title == "the host waits for the GPU in the step" and not found.advice.startswith("gather")
