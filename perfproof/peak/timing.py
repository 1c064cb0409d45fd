"""Samples by the host's clock: calls in batches long enough for the clock, after a warm-up that has become steady."""

import time
from collections.abc import Callable
from typing import Any

from perfproof.peak.plan import Plan

STEADY = 0.05  # two samples this close together end the warm-up
WARM_SAMPLES = 10  # at most

Call = Callable[[], Any]


def host_samples(call: Call, plan: Plan) -> list[float]:
    """Seconds a call, one reading a repeat."""
    calls = calls_for(call, plan.sample_seconds)
    warm_up(call, calls)
    return [timed(call, calls) / calls for _ in range(plan.repeats)]


def calls_for(call: Call, seconds: float) -> int:
    """How many calls last at least `seconds`."""
    calls = 1
    while True:
        took = timed(call, calls)
        if took >= seconds:
            return calls
        calls = min(calls * 16, max(calls + 1, int(calls * 1.2 * seconds / max(took, 1e-9))))


def warm_up(call: Call, calls: int) -> None:
    before = timed(call, calls)
    for _ in range(WARM_SAMPLES - 1):
        after = timed(call, calls)
        if abs(after - before) < STEADY * before:
            return
        before = after


def timed(call: Call, calls: int, clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    for _ in range(calls):
        call()
    return clock() - start


def burst_samples(call: Call, plan: Plan) -> list[float]:
    """Seconds a call in short bursts, each after a rest: what the clocks allow before heat and power catch up."""
    calls = calls_for(call, plan.sample_seconds)
    found = []
    for _ in range(plan.repeats):
        time.sleep(plan.idle_seconds)
        timed(call, calls)  # wakes threads and clocks
        found.append(timed(call, calls) / calls)
    return found


def sustained_samples(call: Call, plan: Plan) -> list[float]:
    """Seconds a call over continuous work, without its beginning."""
    calls = calls_for(call, plan.sample_seconds)
    start = time.perf_counter()
    found: list[float] = []
    while (elapsed := time.perf_counter() - start) < plan.settle_seconds + plan.sustained_seconds or not found:
        took = timed(call, calls) / calls
        if elapsed >= plan.settle_seconds:
            found.append(took)
    return found
