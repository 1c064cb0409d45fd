"""Samples by a GPU's own clock: batches of calls between two events, queued so that the host is not timed."""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, pairwise
from typing import Any

import torch

from perfproof.peak.plan import Plan

LEAST_SECONDS = 2e-3  # a batch between two events: an event's own half microsecond is then nothing
WINDOW_SECONDS = 0.05  # of the warm-up; two windows this much alike end it
STEADY = 0.01
MOST_WARM_SECONDS = 3.0
BURST_SECONDS = 0.06
HOLD_CYCLES = 200_000  # about 0.1 ms: holds the stream until the first batch is queued

Call = Callable[[], Any]


@dataclass
class Taken:
    """Readings, and when the device was at work for them by time.perf_counter."""

    seconds: list[float] = field(default_factory=list)
    windows: list[tuple[float, float]] = field(default_factory=list)


def device_samples(call: Call, repeats: int, warm_seconds: float = MOST_WARM_SECONDS) -> list[float]:
    """Seconds a call, one reading a batch of at least 2 ms."""
    calls = calls_for(call, LEAST_SECONDS)
    warm_up(call, calls, warm_seconds)
    return read_batches(call, calls, repeats)


def rotating(operation: Callable[[Any], Any], over: Sequence[Any]) -> Call:
    """Each call takes the next of several arguments, so that none finds its own in a cache."""
    following = cycle(over)
    return lambda: operation(next(following))


def calls_for(call: Call, seconds: float) -> int:
    for _ in range(3):  # kernels are loaded and chosen by the first calls
        call()
    one = min(read_batches(call, 3, 3))
    return max(1, math.ceil(seconds / max(one, 1e-7)))


def warm_up(call: Call, calls: int, most_seconds: float) -> None:
    """Until two windows take the same time: clocks have risen, or power has brought them down."""
    batches = max(1, math.ceil(WINDOW_SECONDS / (calls * min(read_batches(call, calls, 2)))))
    deadline = time.perf_counter() + most_seconds
    before = sum(read_batches(call, calls, batches))
    while time.perf_counter() < deadline:
        after = sum(read_batches(call, calls, batches))
        if abs(after - before) < STEADY * before:
            return
        before = after


def read_batches(call: Call, calls: int, batches: int) -> list[float]:
    """Seconds a call in each batch. The batches are queued together: the device never waits for the host."""
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(batches + 1)]
    torch.cuda._sleep(HOLD_CYCLES)
    marks[0].record()
    for mark in marks[1:]:
        for _ in range(calls):
            call()
        mark.record()
    marks[-1].synchronize()
    return [begin.elapsed_time(end) * 1e-3 / calls for begin, end in pairwise(marks)]


def device_bursts(call: Call, plan: Plan) -> Taken:
    """Seconds a call in short bursts, each after a rest: before power and heat bring the clock down."""
    each = calls_for(call, LEAST_SECONDS)
    batches = max(3, round(BURST_SECONDS / (each * min(read_batches(call, each, 3)))))
    found = Taken()
    for _ in range(plan.repeats):
        torch.cuda.synchronize()
        time.sleep(plan.idle_seconds)
        start = time.perf_counter()
        found.seconds.append(statistics.median(read_batches(call, each, batches)))
        found.windows.append((start, time.perf_counter()))
    return found


def device_sustained(call: Call, plan: Plan) -> Taken:
    """Seconds a call over continuous work of at least `settle + sustained` seconds, without the settling."""
    calls = calls_for(call, WINDOW_SECONDS)
    begin = torch.cuda.Event(enable_timing=True)
    begin.record()
    marks, start = [begin], time.perf_counter()
    while time.perf_counter() - start < plan.settle_seconds + plan.sustained_seconds or len(marks) < 3:
        for _ in range(calls):
            call()
        mark = torch.cuda.Event(enable_timing=True)
        mark.record()
        marks.append(mark)
        marks[-2].synchronize()  # one batch is always queued behind the one that runs
    marks[-1].synchronize()
    settled = [mark for mark in marks if begin.elapsed_time(mark) * 1e-3 >= plan.settle_seconds]
    kept = settled if len(settled) > 1 else marks
    seconds = [one.elapsed_time(two) * 1e-3 / calls for one, two in pairwise(kept)]
    return Taken(seconds, [(start + plan.settle_seconds, time.perf_counter())])
