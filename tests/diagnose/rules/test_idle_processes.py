"""Processes of a pool without work are found; a busy pool, and one beside which the program works, are not."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.idle_processes import find
from tests.diagnose.test_sampled import stacks

WAITING = "main (a.py:9);multiprocessing.pool:get;threading:wait;[waits] 900"


def judged(*lines, **counts):
    events = Events("kineto")
    threads = {"torch": 2.0, "cpus": 4.0, "can_run": 1.0, "worker_processes": 1.0, "processes": 4.0}
    events.about["perfproof_threads"] = {**threads, **counts}
    return find(Evidence(stacks=stacks(*(lines or [WAITING])), tables=[("trace.json", events)]))


def test_one_process_that_works_while_three_wait_is_found():
    found = judged(processes_can_run=1.0)
    assert found.confidence == "high" and found.share == pytest.approx(0.75)
    assert "main (a.py:9)" in found.evidence[0].text


@pytest.mark.parametrize("counts", [{"processes_can_run": 3.6}, {"processes_can_run": 1.0, "processes": 1.0}])
def test_busy_processes_and_a_single_one_are_healthy(counts):
    assert judged(**counts) is None


def test_a_program_that_works_beside_the_pool_is_not_told_to_wait():
    assert judged("main (a.py:9);json:dumps 900", processes_can_run=1.0) is None


def test_processes_that_wait_for_their_tasks_to_be_sent_are_explained_by_that():
    sends = "thread:tasks;multiprocessing.pool:_handle_tasks;multiprocessing.connection:send 900"
    assert judged(WAITING, sends, processes_can_run=1.0).parts == {"python_code": pytest.approx(1.0)}
    assert judged(processes_can_run=1.0).parts == {}


def test_without_counts_the_rule_abstains():
    assert isinstance(find(Evidence(stacks=stacks(WAITING))), Abstained)
