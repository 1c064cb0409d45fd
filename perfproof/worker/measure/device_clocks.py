"""The clocks of a CUDA device.

    call      N back-to-back calls between two events on the current stream
    latency   single calls, each from an idle device, synchronise to synchronise

Every sample begins with a spin of a known number of cycles: its duration gives the clock of the multiprocessors. Where
the device is slower than the host, calls are queued behind that spin (`hold`), so that the host's launch time stays out
of the sample; a spin ends by itself, so a body that synchronises waits and does not hang. Where the host is the slower
one, nothing is held back: launching is then what a program pays for.

The functions used here are bound when this module is imported, before any pair is.
"""

import functools
from collections.abc import Callable, Sequence
from time import perf_counter_ns as _now

import torch

from perfproof.worker.measure.reading import Reading

_synchronize, _Event, _sleep = torch.cuda.synchronize, torch.cuda.Event, torch.cuda._sleep
_record, _wait, _elapsed = _Event.record, _Event.synchronize, _Event.elapsed_time

SPIN_CYCLES = 200_000  # about 0.1 ms
HEAD_CYCLES = 60_000  # a spin before the spin: its start event and itself are in the queue before they are reached
HIGHEST_CLOCK = 2.2e9  # a spin for so many cycles a second is never too short


@functools.cache
def spin_overhead() -> float:
    """Seconds between the events around a spin of no cycles, all of it in the queue beforehand."""
    found = []
    for _ in range(9):
        before, after = _events(2)
        _sleep(HEAD_CYCLES)
        _record(before)
        _sleep(1)
        _record(after)
        _synchronize()
        found.append(_elapsed(before, after) * 1e-3)
    return min(found)


def wait_for(device: str) -> None:
    """Until all work on the device is done; a CPU has none."""
    if device.startswith("cuda"):
        _synchronize()


def call_on_cuda(function: Callable, sets: Sequence[tuple], hold: float = 0.0) -> Reading:
    """`hold` is how long the spin has to last for the host to queue all calls behind it; 0 starts from an idle device.

    The host's clock around the region has to agree with the events, or work escaped the stream.
    """
    before, begin, finish = _events(3)
    cycles, overhead = max(SPIN_CYCLES, int(hold * HIGHEST_CLOCK)), spin_overhead()
    output = None
    _synchronize()
    start = _now()
    _sleep(HEAD_CYCLES)
    _record(before)
    _sleep(cycles)
    if not hold:
        _record(begin)
        _wait(begin)
        clock = cycles / (_elapsed(before, begin) * 1e-3 - overhead)
        start = _now()
    _record(begin)
    queued = _now()
    for arguments in sets:
        output = function(*arguments)
    queued = _now() - queued
    _record(finish)
    _synchronize()
    end = _now()
    spun = 0.0
    if hold:
        spun = _elapsed(before, begin) * 1e-3
        clock = cycles / (spun - overhead)
    host = (end - start) * 1e-9 - spun - (HEAD_CYCLES / clock if hold else 0.0)
    return Reading(start, end, _elapsed(begin, finish) * 1e-3, output, host, queued * 1e-9, clock)


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


def _events(count: int) -> list[torch.cuda.Event]:
    return [_Event(enable_timing=True) for _ in range(count)]
