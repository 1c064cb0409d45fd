"""The clocks: how one sample is taken. Each returns readings of the system's monotonic clock, in nanoseconds.

    call      N back-to-back calls on rotated arguments; what a program pays for each call
    latency   single calls, each from rest: clock read (and device synchronised) before and after every one
    kernel    the time that a device was busy, from its own activity records (`kernels.py`)

The functions that read time are bound here when this module is imported, before any pair is, so that a pair that
replaces `time.perf_counter` or `torch.cuda.synchronize` replaces nothing that is used.
"""

from collections.abc import Callable, Sequence
from time import perf_counter_ns as _now
from typing import Any

from perfproof.worker.measure.device_clocks import call_on_cuda, latency_on_cuda
from perfproof.worker.measure.kernels import graph_calls, marked_calls
from perfproof.worker.measure.reading import Reading


def call_on_cpu(function: Callable, sets: Sequence[tuple]) -> Reading:
    now = _now
    output = None
    start = now()
    for arguments in sets:
        output = function(*arguments)
    end = now()
    return Reading(start, end, (end - start) * 1e-9, output)


def latency_on_cpu(function: Callable, sets: Sequence[tuple]) -> Reading:
    now = _now
    output, total = None, 0
    first = now()
    for arguments in sets:
        start = now()
        output = function(*arguments)
        total += now() - start
    return Reading(first, now(), total * 1e-9, output)


CLOCKS = {
    ("call", "cpu"): call_on_cpu,
    ("latency", "cpu"): latency_on_cpu,
    ("call", "cuda"): call_on_cuda,
    ("latency", "cuda"): latency_on_cuda,
    ("kernel", "cuda"): marked_calls,
    ("graph", "cuda"): graph_calls,
}


def floor_seconds(clock: Callable[[Callable, Sequence[tuple]], Reading], arguments: tuple) -> float:
    """What the clock reads for a body that does nothing: the ruler's own thickness, for each call."""

    def nothing(*_: Any) -> None:
        return None

    sets = [arguments] * 200
    return min(clock(nothing, sets).seconds for _ in range(7)) / len(sets)
