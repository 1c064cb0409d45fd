"""What one side leaves behind for the other is seen: switches, threads, work that goes on."""

import decimal
import gc
import logging
import os
import signal
import sys
import threading
import time

import numpy
import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from perfproof.worker.verify import watch


class Mode(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class Dispatch(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def nothing(*_):
    return None


USUAL = dict(threads=torch.get_num_threads(), threshold=gc.get_threshold(), interval=sys.getswitchinterval())

# How a switch is moved, and how it is put back.
SWITCHES = {
    "torch.get_num_threads()": (torch.set_num_threads, USUAL["threads"] + 1, USUAL["threads"]),
    "torch.get_default_dtype()": (torch.set_default_dtype, torch.float64, torch.float32),
    "torch.get_default_device()": (torch.set_default_device, "meta", None),
    "torch.is_grad_enabled()": (torch.set_grad_enabled, False, True),
    "torch.is_anomaly_enabled()": (torch.autograd.set_detect_anomaly, True, False),
    "torch.get_float32_matmul_precision()": (torch.set_float32_matmul_precision, "high", "highest"),
    "torch.are_deterministic_algorithms_enabled()": (torch.use_deterministic_algorithms, True, False),
    "flush denormals": (torch.set_flush_denormal, True, False),
    "decimal.getcontext()": (lambda digits: setattr(decimal.getcontext(), "prec", digits), 9, 28),
    "numpy.geterr()": (lambda how: numpy.seterr(over=how), "ignore", "warn"),
    "logging.disable": (logging.disable, logging.CRITICAL, logging.NOTSET),
    "garbage collector": (lambda on: gc.enable() if on else gc.disable(), False, True),
    "gc.get_threshold()": (lambda values: gc.set_threshold(*values), (1, 2, 3), USUAL["threshold"]),
    "gc.callbacks": (lambda add: gc.callbacks.append(nothing) if add else gc.callbacks.remove(nothing), True, False),
    "sys.getswitchinterval()": (sys.setswitchinterval, 0.1, USUAL["interval"]),
    "signal handlers": (lambda handler: signal.signal(signal.SIGUSR1, handler), nothing, signal.SIG_DFL),
    "interval timers": (lambda seconds: signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds), 1e6, 0.0),
    "working directory": (os.chdir, "/", os.getcwd()),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_that_was_moved_is_named_until_it_is_put_back(name):
    before, (move, other, usual) = watch.flags(), SWITCHES[name]
    move(other)
    try:
        moved = watch.switched(before)
    finally:
        move(usual)
    assert [line.split(": ")[0] for line in moved if not line.startswith("torch function modes")] == [name]
    assert watch.switched(before) == []


@pytest.mark.parametrize("name", SWITCHES)
def test_a_file_may_set_on_import_how_libraries_compute_and_nothing_else(name):
    before, (move, other, usual) = watch.flags(), SWITCHES[name]
    move(other)
    try:
        accepted = watch.accept_settings(before)
        left = [line.split(": ")[0] for line in watch.switched(before) if not line.startswith("torch function modes")]
    finally:
        move(usual)
    assert (accepted, left) == (([name], []) if name in watch.SETTINGS else ([], [name]))


falls_back = watch._falls_back_from_mkldnn


@pytest.mark.parametrize(("machine", "found"), [("aarch64", []), ("x86_64", ["torch.backends.mkldnn.enabled"])])
def test_mkldnn_may_be_turned_off_only_where_torch_does_so_itself(monkeypatch, machine, found):
    monkeypatch.setattr(watch, "_falls_back_from_mkldnn", falls_back.__wrapped__)
    monkeypatch.setattr(watch.platform, "machine", lambda: machine)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    with torch.backends.mkldnn.flags(enabled=True):  # an earlier product of this process may have turned it off
        before = watch.flags()
        with torch.backends.mkldnn.flags(enabled=False):
            assert [line.split(": ")[0] for line in watch.switched(before)] == found


def test_a_file_may_set_and_delete_variables_on_import_but_not_those_of_perfproof(monkeypatch):
    monkeypatch.setenv("OLD_ONE", "1")
    before = watch.flags()
    monkeypatch.setenv("NEW_ONE", "1")
    monkeypatch.setenv("PERFPROOF_RANK_KEY", "1")
    monkeypatch.delenv("OLD_ONE")
    assert sorted(watch.accept_settings(before)) == ["environment variable NEW_ONE", "environment variable OLD_ONE"]
    assert watch.switched(before) == ["environment variable PERFPROOF_RANK_KEY: None to 1"]


@pytest.mark.parametrize(("mode", "name"), [(Mode, "torch function modes"), (Dispatch, "torch dispatch modes")])
def test_a_mode_that_sees_every_function_is_found(mode, name):
    before = watch.flags()
    with mode():
        assert watch.switched(before) == [f"{name}: 0 to 1"]
    assert watch.switched(before) == []


def test_long_values_are_shortened(monkeypatch):
    before = watch.flags()
    monkeypatch.setenv("LONG_ONE", "x" * 500)
    (line,) = watch.switched(before)
    assert line == f"environment variable LONG_ONE: None to {'x' * 37}..."


def test_a_thread_that_runs_on_is_heard_and_one_that_waits_is_not():
    stop, go = threading.Event(), threading.Event()

    def burn():
        go.wait()
        while not stop.is_set():
            sum(range(1000))

    tasks = watch.tasks()
    thread = threading.Thread(target=burn)
    thread.start()
    assert watch.tasks() == tasks + 1
    assert watch.busy_after_return() < watch.IDLE_SHARE
    go.set()
    try:
        assert watch.busy_after_return() > watch.IDLE_SHARE
    finally:
        stop.set()
        thread.join()


def test_a_child_process_that_runs_on_is_heard():
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", "while True: pass"], os.environ)
    try:
        deadline = time.monotonic() + 20
        while watch.busy_after_return() < watch.IDLE_SHARE:
            assert time.monotonic() < deadline
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_time_of_other_threads_is_counted_and_one_s_own_is_not(threads):
    usual = torch.get_num_threads()
    torch.set_num_threads(threads)
    done, end = threading.Event(), threading.Event()

    def work():
        started = time.thread_time()
        while time.thread_time() - started < 0.05:
            pass
        done.set()
        end.wait()

    try:
        before = watch.foreign_seconds()
        started = time.thread_time()
        while time.thread_time() - started < 0.05:
            pass
        alone = watch.foreign_seconds() - before
        thread = threading.Thread(target=work)
        thread.start()
        done.wait()
        beside = watch.foreign_seconds() - before
        end.set()
        thread.join()
    finally:
        torch.set_num_threads(usual)
    assert alone < 0.02
    assert 0.05 <= beside < 0.15
