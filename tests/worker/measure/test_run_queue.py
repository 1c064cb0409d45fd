"""The scheduler's account of a thread: it grows when others have the core, and not while the thread sleeps."""

import os
import subprocess
import sys
import time

import pytest

from perfproof.worker.measure import run_queue
from perfproof.worker.measure.run_queue import waited_for_a_core


def test_a_thread_that_shares_its_core_waits_for_it_and_one_that_sleeps_does_not():
    """One measurement: half a second beside another process on the same core, and half a second of sleep."""
    cores = os.sched_getaffinity(0)
    one = {min(cores)}
    other = subprocess.Popen([sys.executable, "-c", f"import os; os.sched_setaffinity(0, {one})\nwhile True: pass"])
    try:
        os.sched_setaffinity(0, one)
        before = waited_for_a_core()
        end = time.perf_counter() + 0.5
        while time.perf_counter() < end:
            pass
        shared = waited_for_a_core() - before
    finally:
        os.sched_setaffinity(0, cores)
        other.kill()
        other.wait()
    before = waited_for_a_core()
    time.sleep(0.5)
    assert shared > 0.05 and waited_for_a_core() - before < shared


def test_a_child_reads_its_own_account():
    waited_for_a_core()
    pid = os.fork()
    if not pid:
        waited_for_a_core()
        os._exit(run_queue._own.pid != os.getpid())
    assert os.waitpid(pid, 0)[1] == 0


@pytest.mark.parametrize("text", [b"", b"12", b"no numbers here"])
def test_a_machine_without_the_account_gives_none(monkeypatch, text):
    monkeypatch.setattr(run_queue, "_pread", lambda *_: text)
    assert waited_for_a_core() is None


def test_a_system_without_the_file_gives_none(monkeypatch):
    def missing(*_):
        raise FileNotFoundError("schedstat")

    monkeypatch.setattr(run_queue, "_pread", missing)
    assert waited_for_a_core() is None
