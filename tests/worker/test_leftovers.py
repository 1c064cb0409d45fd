"""Finished on return: what still changes, runs or uses the processor when a function has returned."""

import subprocess
import sys
import threading
import time

import pytest
import torch

from perfproof.worker import leftovers
from perfproof.worker.leftovers import BETWEEN_SHARE, NAME
from perfproof.worker.verification import Findings
from perfproof.worker.verify import watch
from tests.repeating import up_to


def nothing():
    """Another call, of a side that starts nothing."""


@pytest.fixture(autouse=True)
def short_wait(monkeypatch):
    monkeypatch.setattr(watch, "MOST_WAIT_SECONDS", 1.0)


def found(look, *arguments):
    findings = Findings()
    look(findings, *arguments)
    return findings.checks[NAME]


def test_a_result_that_is_done_when_it_is_returned_passes():
    held = torch.ones(3)
    assert found(leftovers.after_call, "optimized", held, held.clone(), nothing).result == "pass"


def test_a_result_that_still_changed_is_a_finding():
    check = found(leftovers.after_call, "optimized", torch.ones(3), torch.zeros(3), nothing)
    assert (check.result, check.detail) == ("fail", "optimized: the result still changed after it had returned")


@pytest.mark.parametrize(
    ("share", "result"), [(0.0, "pass"), (watch.IDLE_SHARE, "pass"), (watch.IDLE_SHARE + 0.01, "fail"), (1.0, "fail")]
)
def test_threads_that_work_while_the_main_one_rests_are_a_finding(share, result, monkeypatch):
    monkeypatch.setattr(watch, "busy_after_return", lambda: share)
    check = found(leftovers.busy, "optimized", nothing)
    assert check.result == result
    if result == "fail":
        assert (
            "work goes on after the function has returned" in check.detail and "join what was started" in check.detail
        )


@up_to(3)
def test_a_thread_that_goes_on_is_seen():
    ended = threading.Event()

    def work():
        while not ended.is_set():
            sum(range(1000))
            time.sleep(0)  # the thread that looks gets the interpreter

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert found(leftovers.busy, "optimized", nothing).result == "fail"
    finally:
        ended.set()
        thread.join()


@up_to(3)
def test_a_child_that_goes_on_is_seen():
    child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.3)
        assert found(leftovers.busy, "optimized", nothing).result == "fail"
    finally:
        child.kill()
        child.wait()


@up_to(3)
def test_threads_that_sleep_are_not():
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert found(leftovers.busy, "optimized", nothing).result == "pass"
    finally:
        ended.set()
        thread.join()


@up_to(3)
def test_what_was_started_once_and_ends_is_waited_for():
    """A compiler warms its processes up after the first call, and is quiet after the next."""
    child = subprocess.Popen([sys.executable, "-c", "import time\nt = time.time()\nwhile time.time() < t + 0.8: pass"])
    time.sleep(0.2)
    assert found(leftovers.busy, "optimized", nothing).result == "pass"
    child.wait()


@up_to(3)
def test_who_leaves_work_in_every_call_is_seen_after_the_next_one():
    children = []

    def call():
        code = "import time\nt = time.time()\nwhile time.time() < t + 0.8: pass"
        children.append(subprocess.Popen([sys.executable, "-c", code]))

    call()
    time.sleep(0.2)
    assert found(leftovers.busy, "optimized", call).result == "fail"
    assert len(children) == 2
    for child in children:
        child.wait()


def test_work_between_the_samples_of_a_side_is_on_its_account():
    spent = {"baseline": [0.0, 2.0], "optimized": [0.5, 2.0]}
    check = found(leftovers.between_samples, spent)
    assert check.result == "fail"
    assert check.detail.startswith(
        "other threads worked for up to 25% of the time between timed samples, most of it after those of optimized"
    )


@pytest.mark.parametrize("spent", [{}, {"optimized": [0.0, 0.0]}, {"optimized": [0.99 * BETWEEN_SHARE, 1.0]}])
def test_threads_of_a_pool_that_go_to_sleep_are_no_finding(spent):
    findings = Findings()
    leftovers.between_samples(findings, spent)
    assert all(check.result == "pass" for check in findings.checks.values())
