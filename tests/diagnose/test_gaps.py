"""Every gap of a device gets the cause that the host's calls tell."""

import pytest

from perfproof.core.events import Kind
from perfproof.diagnose.gaps import by_cause, idle_gaps
from tests.diagnose.building import US, Program


def causes(program):
    """Microseconds by cause over the two steady steps."""
    return {cause: ns / US for cause, ns in by_cause(idle_gaps(program.evidence().traces[0], 0)).items()}


def with_gap(launch_of_next, length=100):
    """Each step: busy up to 500, then a gap, then busy to the end of the step."""
    program = Program()
    for base in program.starts():
        program.kernel(base, base + 500, launched=base - 50)
        program.kernel(base + 500 + length, base + 1000, launched=base + 500 + launch_of_next)
    return program


def test_a_late_launch_is_the_hosts_and_a_very_late_one_is_something_else_it_did():
    assert causes(with_gap(launch_of_next=30, length=50)) == {"launch": 100}
    assert causes(with_gap(launch_of_next=250, length=300)) == {"host": 600}


def test_work_that_was_launched_in_time_waits_for_an_event_or_lies_close():
    assert causes(with_gap(launch_of_next=-200)) == {"waiting": 200}
    assert causes(with_gap(launch_of_next=-200, length=20)) == {"between": 40}


def test_a_gap_that_begins_inside_a_synchronising_call_follows_from_it():
    program = with_gap(launch_of_next=60)
    program.each_step(Kind.RUNTIME, "cudaStreamSynchronize", 100, 503)
    assert causes(program) == {"sync": 200}


def test_a_gap_under_the_loader_is_a_wait_for_input_even_after_a_sync():
    program = with_gap(launch_of_next=60)
    program.each_step(Kind.RUNTIME, "cudaDeviceSynchronize", 100, 501)
    program.each_step(Kind.RANGE, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 505, 590)
    assert causes(program) == {"input": 200}


def test_a_gap_inside_a_copying_call_is_told_apart():
    program = with_gap(launch_of_next=90)
    program.each_step(Kind.RUNTIME, "cudaMemcpyAsync", 510, 580)
    assert causes(program) == {"copy call": 200}


@pytest.mark.parametrize("name", ["cudaMalloc", "cudaFree", "cuMemAlloc_v2", "cuMemCreate"])
def test_a_gap_inside_calls_for_memory_is_theirs_even_after_a_sync(name):
    program = with_gap(launch_of_next=90)
    program.each_step(Kind.RUNTIME, "cudaDeviceSynchronize", 100, 501)
    program.each_step(Kind.RUNTIME, name, 510, 580)
    assert causes(program) == {"allocation": 200}


def test_a_long_gap_inside_the_launching_call_waits_for_the_launch():
    program = Program()
    for base in program.starts():
        program.kernel(base, base + 500, launched=base - 50)
        program.kernel(base + 900, base + 1000, launched=base + 520, call=390, launcher="cudaGraphLaunch")
    assert causes(program) == {"launch": 800}


def test_without_launches_the_cause_is_unknown_and_the_time_still_counted():
    program = Program()
    for base in program.starts():
        program.work(base, base + 400)
    assert causes(program) == {"unknown": 1200}


def test_the_edge_after_the_last_work_of_a_trace_is_idle_too():
    program = Program()
    program.work(1000, 1500)
    assert causes(program) == {"unknown": 1500}


@pytest.mark.parametrize("launch_of_next", [-300, -50, 20, 60, 99])
def test_idle_and_busy_are_the_whole_window(launch_of_next):
    assert sum(causes(with_gap(launch_of_next)).values()) == 200
