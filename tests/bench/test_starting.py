"""Interpreters on their way: in the background, on cores that nobody uses, still while something is timed."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from perfproof.bench import starting
from perfproof.bench.launches import Launches
from tests.worker.test_libraries import NAMES


@pytest.fixture
def pool():
    found = Launches({**os.environ})
    yield found
    starting.attend("open")
    found.close()


@pytest.fixture
def ready(launches):
    """The pool of all tests, in which an interpreter is ready: for tests in which none has to be on its way."""
    launches.get(0)
    yield launches
    starting.attend("open")
    launches.forget_libraries()


def until(true, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def on_its_way(pool, number=0) -> psutil.Process:
    until(lambda: pool._lines[number].launches)
    return psutil.Process(pool._lines[number].launches[0].pid)


def stands_still(process) -> bool:
    return process.status() == psutil.STATUS_STOPPED


def test_nobody_waits_until_an_interpreter_is_asked_for(pool):
    pool.begin(1)
    process = on_its_way(pool)
    assert not pool._lines[0].launches[0].is_ready
    assert pool.get(0).pid == process.pid and pool._lines[0].launches[0].is_ready


def test_while_something_is_timed_it_stands_still_and_goes_on_afterwards(pool):
    pool.begin(1)
    process = on_its_way(pool)
    for command in starting.TIMED:
        starting.attend(command)
        until(lambda: stands_still(process))
        used = process.cpu_times()
        time.sleep(0.2)
        assert process.cpu_times() == used, command
        starting.attend("check")
        until(lambda: not stands_still(process))


def test_one_that_begins_while_something_is_timed_waits_at_once(pool):
    starting.attend("run")
    pool.begin(1)
    process = on_its_way(pool)
    until(lambda: stands_still(process))
    assert pool.get(0).is_ready  # whoever waits for it lets it go on


def test_one_that_is_ready_is_let_alone(ready):
    process = psutil.Process(ready.get(0).pid)
    starting.attend("run")
    time.sleep(0.05)
    assert not stands_still(process)
    with ready.get(0).fork() as worker:
        assert worker.pid


def test_one_that_is_stopped_after_it_said_that_it_is_ready_goes_on(ready):
    launch = ready.get(0)

    class Late:
        pid = launch.pid

        def wait_ready(self, seconds):
            starting.attend("run")
            until(lambda: stands_still(psutil.Process(self.pid)))
            return True

    starting.attend("open")
    starting.bring(Late())
    with launch.fork() as worker:
        assert worker.pid


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core")
def test_it_keeps_off_the_cores_of_the_target_until_it_is_waited_for(pool):
    cores = sorted(os.sched_getaffinity(0))
    starting.keep_off(cores[:1])
    starting.attend("ready")
    pool.begin(1)
    process = on_its_way(pool)
    until(lambda: process.cpu_affinity() == cores[1:])
    assert psutil.Process(pool.get(0).pid).cpu_affinity() == cores


def test_a_target_on_every_core_shares_them():
    cores = os.sched_getaffinity(0)
    starting.keep_off(cores)
    assert starting._spare == cores


def test_a_pool_that_is_closed_waits_for_nobody(pool):
    pool.begin(2)
    processes = [on_its_way(pool)]
    starting.attend("run")
    until(lambda: stands_still(processes[0]))
    pool.close()
    assert not any(process.is_running() for process in processes)


def test_libraries_on_their_way_are_forgotten(ready):
    ready.import_libraries([*NAMES, *(f"encodings.mac_{name}" for name in ("roman", "greek", "turkish"))])
    starting.attend("run")
    ready.begin(1)
    until(lambda: len(ready._lines[0].launches) == 2)
    child = psutil.Process(ready._lines[0].launches[1].pid)
    ready.forget_libraries()
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    assert ready.get(0) is ready._lines[0].launches[0]


KILLED = """
import os, signal, time
from perfproof.bench import starting
from perfproof.bench.launches import Launches

pool = Launches({**os.environ})
pool.begin(1)
while not pool._lines[0].launches:
    time.sleep(0.01)
time.sleep(0.5)  # it has begun to import
starting.attend("run")
print(pool._lines[0].launches[0].pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_interpreter_that_stands_still_ends_with_the_run_that_started_it():
    done = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL
    until(lambda: not psutil.pid_exists(int(done.stdout)))
