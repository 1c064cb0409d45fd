"""The clocks call the body once for each set of arguments, and read the system's monotonic clock around it."""

import time

import pytest
import torch

from perfproof.worker.measure import clocks, device_clocks, kernels

CPU_CLOCKS = {name: clock for (name, device), clock in clocks.CLOCKS.items() if device == "cpu"}


def test_every_clock_is_there_for_both_devices():
    both = {(name, device) for name in ("call", "latency") for device in ("cpu", "cuda")}
    assert set(clocks.CLOCKS) == both | {("kernel", "cuda"), ("graph", "cuda")}


@pytest.mark.parametrize("name", CPU_CLOCKS)
def test_every_set_is_called_once_in_order_and_the_last_output_is_kept(name):
    calls = []

    def body(a, b):
        calls.append((a, b))
        return a * b

    reading = CPU_CLOCKS[name](body, [(1, 2), (3, 4), (5, 6)])
    assert calls == [(1, 2), (3, 4), (5, 6)]
    assert reading.output == 30
    assert reading.host_seconds is None


@pytest.mark.parametrize("name", CPU_CLOCKS)
def test_readings_lie_between_those_around_them(name):
    before = time.perf_counter_ns()
    reading = CPU_CLOCKS[name](time.sleep, [(0.002,)] * 3)
    after = time.perf_counter_ns()
    assert before <= reading.start_ns <= reading.end_ns <= after
    assert 0.006 <= reading.seconds <= (reading.end_ns - reading.start_ns) * 1e-9 + 1e-12


def test_the_call_clock_claims_all_the_time_and_the_latency_clock_only_that_of_the_calls():
    sets = [(0.001,)] * 2
    call = clocks.call_on_cpu(time.sleep, sets)
    assert call.seconds == pytest.approx((call.end_ns - call.start_ns) * 1e-9)
    latency = clocks.latency_on_cpu(time.sleep, sets)
    assert latency.seconds < (latency.end_ns - latency.start_ns) * 1e-9


@pytest.mark.parametrize("name", CPU_CLOCKS)
def test_a_patched_clock_is_not_read(name, monkeypatch):
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)
    monkeypatch.setattr(time, "perf_counter_ns", lambda: 0)
    assert CPU_CLOCKS[name](lambda: None, [()]).start_ns > 0


def test_the_cuda_clocks_do_not_use_what_a_pair_can_replace(monkeypatch):
    event, synchronize, sleep = torch.cuda.Event, torch.cuda.synchronize, torch.cuda._sleep
    for name in ("Event", "synchronize", "_sleep"):
        monkeypatch.setattr(torch.cuda, name, None)
    for module in (device_clocks, kernels):
        assert (module._Event, module._synchronize, module._sleep) == (event, synchronize, sleep)


def test_the_floor_is_what_an_empty_body_reads():
    seen = []

    def clock(function, sets):
        seen.append(len(sets))
        assert function(*sets[0]) is None
        return clocks.Reading(0, 0, 1e-6 * len(seen) * len(sets), None)

    assert clocks.floor_seconds(clock, (1, 2)) == pytest.approx(1e-6)
    assert len(set(seen)) == 1
