"""Interpreters on their way: they start in the background, and stand still while something is timed.

Importing torch takes seconds. While a target is verified, prepared and checked, other cores have nothing to do: there
interpreters start. Whoever waits for one gives all cores to those that are on their way.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, Protocol

from perfproof.core.errors import WorkerTimeout

TIMED = (
    "run",
    "glance",
    "lay_out",
    "kernels",
    "recall",
    "startup",
    "energy",
)  # what a worker is asked for that reads a clock
START_SECONDS = 120.0  # importing torch from a cold disk
FOR_EVER = 1e6  # it may stand still for long; who waits for it looks at the time


class Interpreter(Protocol):
    @property
    def pid(self) -> int: ...
    def wait_ready(self, seconds: float) -> bool: ...


class _Way:
    """All that are on their way, and whether they move."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._coming: set[int] = set()
        self._still = False
        self._cores = os.sched_getaffinity(0)

    def join(self, pid: int) -> None:
        with self._lock:
            self._coming.add(pid)
            self._direct(pid)

    def leave(self, pid: int) -> None:
        with self._lock:
            self._coming.discard(pid)
            _bind(pid, os.sched_getaffinity(0))
            send(signal.SIGCONT, pid)  # it may have been stopped after it said that it is ready

    def stand_still(self) -> None:
        self._change(True, self._cores)

    def move(self, cores: Collection[int]) -> None:
        self._change(False, set(cores))

    def _change(self, still: bool, cores: set[int]) -> None:
        if (still, cores) != (self._still, self._cores):
            with self._lock:
                self._still, self._cores = still, cores
                for pid in self._coming:
                    self._direct(pid)

    def _direct(self, pid: int) -> None:
        if not self._still:
            _bind(pid, self._cores)
        send(signal.SIGSTOP if self._still else signal.SIGCONT, pid)


_way = _Way()
_spare: set[int] = set()  # the cores that the target at hand does not use


def keep_off(cpus: Collection[int]) -> None:
    """From now on these cores are the target's, unless there are no others."""
    allowed = os.sched_getaffinity(0)
    _spare.clear()
    _spare.update((allowed - set(cpus)) or allowed)


def attend(command: str) -> None:
    """A worker is asked for something: is the machine to be quiet?"""
    if command in TIMED:
        _way.stand_still()
    else:
        _way.move(_spare or os.sched_getaffinity(0))


def soon(task: Callable[..., Any], *arguments: Any) -> Future:
    """Do something in the background; as many such tasks go on at once as there are cores."""
    return _background().submit(task, *arguments)


def bring(interpreter: Interpreter) -> bool:
    """In the background: until it is ready. Is it fit to be forked from?"""
    _way.join(interpreter.pid)
    try:
        return interpreter.wait_ready(FOR_EVER)
    finally:
        _way.leave(interpreter.pid)


def wait(coming: Future) -> None:
    """In the foreground: until what is done in the background is done."""
    _way.move(os.sched_getaffinity(0))
    try:
        coming.result(timeout=START_SECONDS)
    except TimeoutError:
        raise WorkerTimeout(f"no interpreter was ready within {START_SECONDS:.0f} s") from None


@cache
def _background() -> ThreadPoolExecutor:
    """Its threads live as long as the run: an interpreter on its way ends with the thread that started it."""
    return ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0)), thread_name_prefix="starting")


def _bind(pid: int, cores: Collection[int]) -> None:
    with contextlib.suppress(OSError):
        os.sched_setaffinity(pid, cores)


def send(number: signal.Signals, pid: int) -> None:
    """To all that it started too; one that was just forked may not have a group of its own yet."""
    for way in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            return way(pid, number)
