"""Asking for samples: inside the run's own time, and behind a queue that is held where the device is the slower one."""

import time
from types import SimpleNamespace

import pytest

from perfproof.bench.record import ProcessRecord
from perfproof.bench.sampling import ask_samples, calls_in, choose_clock, choose_priming, launch_bound
from perfproof.core.errors import WorkerCrashed, WorkerLied
from tests.bench.comparison.recorded import job


def record(enqueue, held):
    found = ProcessRecord(0, 0, 1)
    found.enqueue_seconds, found.held_seconds = dict(enqueue), dict(held)
    found.call_seconds = dict.fromkeys(held, 50e-6)
    return found


class Worker:
    def __init__(self, early_ns=0):
        self.early_ns = early_ns

    def ask(self, command, deadline, **fields):
        self.fields = fields
        start = time.perf_counter_ns() - self.early_ns
        return {"rows": [[start, start + 10, 1e-9, None]], "repeated": 0.25, "held_sets": 7}


def test_samples_come_with_what_the_pool_says_of_repeats_and_sets():
    worker = Worker()
    assert len(ask_samples(job(), worker, [["baseline", 10, False]], warm=True)) == 1
    assert (worker.repeated, worker.held_sets) == (0.25, 7)
    assert (worker.fields["clock"], worker.fields["primed"], worker.fields["warm"]) == ("call", False, True)


def test_a_sample_from_before_the_question_is_a_lie():
    with pytest.raises(WorkerLied, match="outside the time in which it was asked for"):
        ask_samples(job(), Worker(early_ns=10**9), [["baseline", 10, False]])


def test_as_many_calls_as_take_the_time_and_at_least_one():
    assert calls_in(1e-3, 1e-5) == 100
    assert calls_in(1e-3, 5.0) == 1
    assert calls_in(1.0, 1e-9) == 10_000 and calls_in(1.0, 1e-9, most=50) == 50


def test_the_queue_is_held_where_the_device_is_the_slower_one():
    found = record({"baseline": 5e-6, "optimized": 6e-6}, {"baseline": 40e-6, "optimized": 30e-6})
    choose_priming(found)
    assert found.primed and found.call_seconds == {"baseline": 40e-6, "optimized": 30e-6}


def test_one_launch_bound_side_is_enough_to_hold_it_on_neither():
    found = record({"baseline": 5e-6, "optimized": 6e-6}, {"baseline": 40e-6, "optimized": 3e-6})
    choose_priming(found)
    assert not found.primed and found.call_seconds["baseline"] == 50e-6
    assert launch_bound(found, "optimized") and not launch_bound(found, "baseline")


def test_a_side_that_waits_for_the_device_is_not_launch_bound_and_no_queue_is_held():
    found = record({"baseline": 50e-6, "optimized": 6e-6}, {"baseline": 40e-6, "optimized": 30e-6})
    found.waits = {"baseline": True, "optimized": False}
    choose_priming(found)
    assert not found.primed and not launch_bound(found, "baseline")


def test_the_first_process_decides_for_all():
    found = record({"baseline": 5e-6}, {"baseline": 3e-6})
    choose_priming(found, primed=True)
    assert found.primed


def test_a_cpu_has_no_queue():
    found = record({}, {})
    choose_priming(found)
    assert not found.primed


@pytest.mark.parametrize(("by", "clock"), [("CUPTI", "kernel"), ("graph replay", "graph")])
def test_the_kernel_clock_reads_records_or_replayed_graphs(by, clock):
    worker, found = SimpleNamespace(ask=lambda *_, **__: {"by": by, "why": "denied"}), record({}, {})
    choose_clock(SimpleNamespace(clock="kernel", deadline=None), {"baseline": worker}, found)
    assert found.clock == clock


def test_without_either_the_kernel_clock_is_refused():
    worker = SimpleNamespace(ask=lambda *_, **__: {"by": "", "why": "denied; it cannot be captured"})
    with pytest.raises(WorkerCrashed, match="the kernel clock cannot be read here: denied"):
        choose_clock(SimpleNamespace(clock="kernel", deadline=None), {"baseline": worker}, record({}, {}))
