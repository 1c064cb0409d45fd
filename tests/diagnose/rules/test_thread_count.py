"""Too many and too few threads are found by what was counted; a thread per CPU and worker processes are healthy."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.rules import thread_count
from tests.diagnose.building import Program


def judged(name="aten::mm", **threads):
    program = Program()
    program.each_step(Kind.OPERATOR, name, 0, 900, args={"Input Dims": [[512, 512], [512, 512]]})
    if threads:
        program.events.about["perfproof_threads"] = {"worker_processes": 0.0, **threads}
    return thread_count.find(program.evidence())


def test_more_threads_than_cpus_are_found_if_they_get_in_each_others_way():
    found = judged(torch=24, cpus=2.0, can_run=20.0)
    assert found.title.startswith("more threads") and found.confidence == "high"
    assert found.share == pytest.approx(0.9 * 0.9)
    assert judged(torch=24, cpus=2.0, can_run=1.2) is None


def test_one_thread_for_large_products_on_several_cpus_is_found():
    found = judged(torch=1, cpus=8.0, can_run=1.1)
    assert found.title.startswith("fewer threads") and found.share == pytest.approx(0.9 * 7 / 8)


@pytest.mark.parametrize(
    "threads",
    [
        {"torch": 8, "cpus": 8.0, "can_run": 7.5},
        {"torch": 1, "cpus": 1.0, "can_run": 1.0},
        {"torch": 1, "cpus": 8.0, "can_run": 1.1, "worker_processes": 1.0},
        {"torch": 1, "cpus": 8.0, "can_run": 8.0},
    ],
)
def test_a_thread_per_cpu_or_other_threads_and_processes_on_them_are_healthy(threads):
    assert judged(**threads) is None


def test_operators_that_threads_do_not_share_are_no_reason_for_more_threads():
    assert judged("aten::sort", torch=1, cpus=8.0, can_run=1.1) is None


@pytest.mark.parametrize("threads", [{}, {"torch": "many", "cpus": 2.0, "can_run": 1.0}, {"torch": 1, "cpus": 0}])
def test_without_counts_the_rule_abstains(threads):
    assert isinstance(judged(**threads), Abstained)


def test_several_threads_in_each_of_many_processes_are_found_and_one_in_each_is_healthy():
    usual = {"torch": 2, "cpus": 2.0, "can_run": 1.0, "worker_processes": 1.0}
    crowded = {"processes": 4.0, "processes_can_run": 4.0}
    assert judged(**usual, **crowded, their_threads_can_run=16.0).title.startswith("more threads")
    assert judged(**usual, **crowded, their_threads_can_run=4.0) is None
    pair = {"processes": 2.0, "processes_can_run": 2.0}
    assert judged(**usual, **pair, their_threads_can_run=4.0) is None  # a product's two threads in two processes
