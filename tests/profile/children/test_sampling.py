"""Stacks of the program's threads are sampled; a thread that waits is told from one that works."""

import asyncio
import gc
import json
import multiprocessing
import select
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import weakref
from types import SimpleNamespace

import numpy
import pytest

from perfproof.profile.children import sampling
from perfproof.profile.children.sampling import (
    LATE,
    Stacks,
    called_in_c,
    library_folders,
    line_of,
    names_arrays,
    names_only_plain,
    stack_of,
    uses_variables,
)
from tests.repeating import up_to


def spin(until):
    while not until.is_set():
        sum(range(200))


def sampled(target, monkeypatch, asked_held=False):
    """Per sample of one thread: its stack, milliseconds, and whether it waits, or the interpreter's lock was held."""
    monkeypatch.setattr(sampling, "PERIOD_SECONDS", 0.002)
    ended = threading.Event()
    thread = threading.Thread(target=target, args=(ended,), name="worker")
    thread.start()
    stacks = Stacks()
    end = time.monotonic() + 30  # the test ends in any case
    while sum(ms for *_, ms, _, _, _ in stacks.samples) < 200 and time.monotonic() < end:
        ended.wait(0.01)
    stacks.stop()
    ended.set()
    thread.join()
    names = list(stacks.numbers)
    return [
        (names[place], ms, held if asked_held else waits)
        for _, _, ms, place, waits, held in stacks.samples
        if names[place][0] == "thread:worker"
    ]


def test_a_thread_that_computes_does_not_wait_however_busy_the_machine_is(monkeypatch):
    found = sampled(spin, monkeypatch)
    working = sum(ms for _, ms, waits in found if not waits)
    assert working > 0.7 * sum(ms for _, ms, _ in found)
    assert any("spin (test_sampling.py:" in frame for stack, *_ in found for frame in stack)


def test_a_thread_that_sleeps_waits(monkeypatch):
    found = sampled(lambda ended: ended.wait(), monkeypatch)
    waiting = sum(ms for _, ms, waits in found if waits)
    assert waiting > 0.7 * sum(ms for _, ms, _ in found)
    assert any("threading:wait" in stack for stack, *_ in found)


@up_to(3)  # other work on the machine takes the core from a thread that holds it
def test_python_holds_the_interpreters_lock(monkeypatch):
    found = sampled(spin, monkeypatch, asked_held=True)
    assert sum(ms for _, ms, held in found if held) > 0.5 * sum(ms for _, ms, _ in found)


@up_to(3)  # shares of few samples
def test_a_product_of_large_arrays_does_not_hold_it(monkeypatch):
    def multiply(until):
        array = numpy.ones((900, 900))
        while not until.is_set():
            array @ array

    found = sampled(multiply, monkeypatch, asked_held=True)
    assert sum(ms for _, ms, held in found if held) < 0.5 * sum(ms for _, ms, _ in found)


def test_variables_of_a_function_end_with_it_without_the_garbage_collector(monkeypatch):
    """Else a worker that the program forks ends them: a tensor in page-locked memory aborts it then."""

    class Batch:
        pass

    held = []

    def work(until):
        def step():
            batch = Batch()
            held.append(weakref.ref(batch))
            time.sleep(0.003)

        while not until.is_set():
            step()

    gc.collect()
    gc.disable()
    try:
        sampled(work, monkeypatch)
        kept = sum(1 for one in held if one() is not None)
    finally:
        gc.enable()
    assert len(held) > 10 and kept == 0


def test_the_program_has_its_own_switch_interval_again_afterwards():
    before = sys.getswitchinterval()
    Stacks().stop()
    assert sys.getswitchinterval() == before


def test_own_threads_are_left_out_and_the_file_has_stacks_and_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "PERIOD_SECONDS", 60.0)
    stacks = Stacks()
    stacks.look()
    stacks.look()
    stacks.stop()
    stacks.write(str(tmp_path / "x.json"))
    content = json.loads((tmp_path / "x.json").read_text())
    assert content["samples"] and all("perfproof" not in stack[0] for stack in content["stacks"])


def test_frames_of_libraries_have_their_module_and_own_ones_their_line():
    import sys

    inner = []
    sorted([1], key=lambda _: inner.extend(stack_of(sys._getframe(), library_folders())) or 0)
    assert inner[-1].startswith("<lambda> (test_sampling.py:")
    json.loads(
        "[1]", object_hook=None, parse_int=lambda _: inner.extend(stack_of(sys._getframe(), library_folders())) or 1
    )
    assert any(frame.startswith("json.decoder:") for frame in inner)


def test_packages_in_any_folder_that_an_installer_filled_are_libraries(tmp_path, monkeypatch):
    installed, own = tmp_path / "target", tmp_path / "own"
    (installed / "pandas-3.0.dist-info").mkdir(parents=True)
    own.mkdir()
    monkeypatch.setattr(sys, "path", [str(own), str(installed), str(tmp_path / "absent")])
    folders = library_folders()
    assert any(str(installed / "pandas" / "core.py").startswith(one) for one in folders)
    assert not any(str(own / "train.py").startswith(one) for one in folders)


def stacks_of_a_callback(monkeypatch, others):
    monkeypatch.setattr(sampling, "PERIOD_SECONDS", 60.0)
    monkeypatch.setattr(sampling, "LONG_CALLBACK_SECONDS", 0.0)

    async def main():
        stacks = Stacks()
        if others:
            asyncio.get_running_loop().call_soon(lambda: None)
        for _ in range(3):
            stacks.look()
        stacks.stop()
        return [stack for stack in stacks.numbers if stack[0] == "thread:MainThread"]

    return asyncio.run(main())


def test_a_callback_is_late_only_if_others_are_due(monkeypatch):
    assert any(stack[1] == LATE for stack in stacks_of_a_callback(monkeypatch, others=True))
    assert not any(LATE in stack for stack in stacks_of_a_callback(monkeypatch, others=False))


def test_a_callback_that_waits_is_late_however_short_it_is():
    async def main():
        stacks, asked = Stacks(), asyncio.get_running_loop()
        waiting = threading.Thread(target=lambda: [time.sleep(0.01) or asked.call_soon(int) for _ in range(40)])
        waiting.start()
        while waiting.is_alive():
            time.sleep(0.005)
            await asyncio.sleep(0)
        stacks.stop()
        return [stacks.samples, list(stacks.numbers)]

    samples, names = asyncio.run(main())
    of_main = [names[one[3]] for one in samples if names[one[3]][0] == "thread:MainThread"]
    assert any(stack[1] == LATE for stack in of_main)


def test_a_line_computes_on_arrays_if_it_names_arrays_of_numbers():
    def asked(value):
        return names_arrays(sys._getframe()), value

    assert asked(numpy.ones(3))[0]
    assert not asked(numpy.array([1, "a"], dtype=object))[0]
    assert not asked([1.0, 2.0])[0]


def test_cpus_are_those_of_the_quota_if_it_is_smaller(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "QUOTA", str(tmp_path / "cpu.max"))
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert sampling.usable_cpus() == 0.5
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert sampling.usable_cpus() >= 1


def until_ended_in_c(ended):
    while not ended.is_set():
        select.select([], [], [], 0.05)


def until_ended_asleep(ended):
    while not ended.is_set():
        time.sleep(0.05)


def until_ended_at_a_lock(ended):
    held = threading.Lock()
    held.acquire()
    threading.Thread(target=lambda: (ended.wait(), held.release()), daemon=True).start()
    with held:
        pass


def until_ended_at_a_peer(ended):
    here, there = socket.socketpair()
    threading.Thread(target=lambda: (ended.wait(), there.close()), daemon=True).start()
    here.recv(1)


def until_ended_in_accept(ended):
    """`accept` is a function of Python's own module, whose line is the innermost one."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        threading.Thread(target=lambda: (ended.wait(), socket.create_connection(address).close()), daemon=True).start()
        server.accept()[0].close()


@pytest.mark.parametrize(
    ("target", "share"),
    [
        (until_ended_in_c, 0.0),
        (until_ended_in_accept, 1.0),
        (until_ended_asleep, 1.0),
        (lambda ended: ended.wait(), 1.0),
        (until_ended_at_a_lock, 1.0),
        (until_ended_at_a_peer, 1.0),
    ],
)
def test_a_thread_that_waits_for_a_librarys_own_threads_does_not_wait_and_one_that_sleeps_does(
    target, share, monkeypatch
):
    monkeypatch.setattr(sampling, "_all_threads", lambda *_: [1])
    monkeypatch.setattr(sampling, "_can_run", lambda number: number == 1)
    found = sampled(target, monkeypatch)
    assert sum(waits for *_, waits in found) / len(found) == pytest.approx(share, abs=0.2)


def test_what_a_line_calls_in_c_is_named_by_its_module_and_the_program_and_arrays_are_not():
    database, array = sqlite3.connect(":memory:"), numpy.ones(3)

    def query(text):
        return database, array, text, sys._getframe()

    assert called_in_c(query("SELECT 1")[-1]) == ["sqlite3:Connection", "sys:"]


def test_the_processes_of_managers_are_told_from_other_ones():
    with multiprocessing.get_context("fork").Manager() as manager:
        assert sampling._managers() == {manager._process.pid}
    assert sampling._managers() == set()


def run_text(stacks, text, value):
    exec(text)
    return value


def test_the_variables_of_a_function_that_runs_text_stay_as_the_text_has_them(monkeypatch):
    monkeypatch.setattr(sampling, "PERIOD_SECONDS", 60.0)
    stacks = Stacks()
    look = "stacks.look()"
    assert run_text(stacks, f"{look}\nvalue = 2\n{look}\nassert value == 2", 1) == 1
    stacks.stop()
    assert uses_variables(run_text.__code__) and not uses_variables((lambda model: model.eval()).__code__)


def here():
    return names_only_plain(sys._getframe(1))


def searched(value, values):
    return (value, values), here()


def test_a_line_of_lists_is_python_and_one_that_names_arrays_or_objects_is_not(monkeypatch):
    monkeypatch.setattr(sampling, "SCALARS", (*sampling.SCALARS, type(here)))  # the line also names this function
    assert searched("a", ["b", "c"])[1] and searched("a", {"b": 1})[1]
    assert not searched(1.0, [numpy.ones(3)])[1] and not searched(1.0, numpy.ones(3))[1]
    assert not searched(thread := threading.current_thread(), [thread])[1]


def test_a_jump_without_a_line_has_the_line_before_it():
    code = SimpleNamespace(co_lines=lambda: [(0, 2, 3), (2, 4, None), (4, 6, 7)], co_firstlineno=1)
    assert line_of(SimpleNamespace(f_lineno=None, f_code=code, f_lasti=2)) == 3
    assert line_of(SimpleNamespace(f_lineno=7, f_code=code, f_lasti=4)) == 7


@pytest.fixture
def objects():
    """What the collector looks at, however much earlier tests have imported: for that it needs up to a second."""
    gc.freeze()
    yield [{"a": [place]} for place in range(200_000)]
    gc.unfreeze()


@up_to(3)  # shares of few samples
def test_time_in_the_garbage_collector_is_told_from_other_python(objects, monkeypatch):

    def collect(until):
        while not until.is_set():
            gc.collect()

    def collecting(found):
        return sum(ms for stack, ms, _ in found if stack[-1] == sampling.COLLECTING) / sum(ms for _, ms, _ in found)

    assert collecting(sampled(collect, monkeypatch)) > 0.5
    assert collecting(sampled(spin, monkeypatch)) < 0.1


PRINTS = """
import sys, time, torch
from perfproof.profile.children import sampling
sampling.PERIOD_SECONDS = 0.001
stacks, end = sampling.Stacks(), time.monotonic() + 2.0
values = torch.randn(8, 24, 24, requires_grad=True) * 2
while time.monotonic() < end:
    assert "grad_fn" in str(values)
stacks.stop()
assert stacks.samples
"""


@up_to(3)
def test_a_program_that_prints_tensors_goes_on_while_it_is_looked_at(warm_python):
    """torch keeps guards in variables of functions; a thread that held such a frame for long would end them.

    In a process of its own: what is left of a guard that ended elsewhere would reach other tests.
    """
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", PRINTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-300:]


class Starved:
    """A thread that hardly ran since the last look, whatever the machine does: how often it gave up its CPU."""

    def __init__(self, monkeypatch, times, can_run=True):
        self.stacks = Stacks()
        self.stacks.stop()
        now = time.monotonic()
        self.stacks._seen[7], self.stacks._given_up[7] = (now - 0.1, 1.0, 0.0), (now - 0.1, 1000)
        monkeypatch.setattr(sampling, "_account", lambda number: (1.001, 0.0))
        monkeypatch.setattr(sampling, "_can_run", lambda number: can_run)
        monkeypatch.setattr(sampling, "_times_given_up", lambda number: 1000 + times)


def test_a_thread_that_asks_again_and_again_waits_for_the_interpreters_lock(monkeypatch):
    starved = Starved(monkeypatch, times=180)
    seconds, waits = starved.stacks._spent(7)
    assert waits and seconds == pytest.approx(0.1, abs=0.02) and starved.stacks._asks[7]


def test_one_that_gives_up_no_cpu_is_in_the_queue_for_one(monkeypatch):
    starved = Starved(monkeypatch, times=1)
    seconds, waits = starved.stacks._spent(7)
    assert not waits and seconds == pytest.approx(0.001) and not starved.stacks._asks[7]


def test_one_that_sleeps_waits_for_something_else(monkeypatch):
    starved = Starved(monkeypatch, times=1, can_run=False)
    assert starved.stacks._spent(7)[1] and not starved.stacks._asks[7]


def test_how_often_a_thread_gave_up_its_cpu_is_known():
    before = sampling._times_given_up(threading.get_native_id())
    for _ in range(5):
        time.sleep(0.001)
    assert sampling._times_given_up(threading.get_native_id()) >= before + 5
    assert sampling._times_given_up(2**30) == 0
