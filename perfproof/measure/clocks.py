"""The clocks: how one sample is taken. Each returns readings of the system's monotonic clock, in nanoseconds.

    call      N back-to-back calls on rotated arguments; what a program pays for each call
    latency   single calls, each from rest: clock read (and device synchronised) before and after every one

The functions that read time are bound here when this module is imported, before any pair is, so that a pair that
replaces `time.perf_counter` or `torch.cuda.synchronize` replaces nothing that is used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns as _now
from typing import Any

import torch

_synchronize = torch.cuda.synchronize
_Event = torch.cuda.Event


@dataclass
class Reading:
    start_ns: int
    end_ns: int
    seconds: float  # of all calls of the sample, by the clock that judges
    output: Any  # of the last call
    host_seconds: float | None = None  # device samples: the same region by the host's clock, device synchronised


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


def call_on_cuda(function: Callable, sets: Sequence[tuple]) -> Reading:
    """Between two events on the current stream; the host's clock around it must agree, or work escaped the stream."""
    begin, finish = _Event(enable_timing=True), _Event(enable_timing=True)
    output = None
    _synchronize()
    start = _now()
    begin.record()
    for arguments in sets:
        output = function(*arguments)
    finish.record()
    _synchronize()
    end = _now()
    return Reading(start, end, begin.elapsed_time(finish) * 1e-3, output, (end - start) * 1e-9)


def latency_on_cuda(function: Callable, sets: Sequence[tuple]) -> Reading:
    output, total = None, 0
    _synchronize()
    first = _now()
    for arguments in sets:
        start = _now()
        output = function(*arguments)
        _synchronize()
        total += _now() - start
    return Reading(first, _now(), total * 1e-9, output)


CLOCKS = {
    ("call", "cpu"): call_on_cpu,
    ("latency", "cpu"): latency_on_cpu,
    ("call", "cuda"): call_on_cuda,
    ("latency", "cuda"): latency_on_cuda,
}


def floor_seconds(clock: Callable[[Callable, Sequence[tuple]], Reading], arguments: tuple) -> float:
    """What the clock reads for a body that does nothing: the ruler's own thickness, for each call."""

    def nothing(*_: Any) -> None:
        return None

    sets = [arguments] * 200
    return min(clock(nothing, sets).seconds for _ in range(7)) / len(sets)
