"""Samples are clock readings, as many as asked for; windows of work choose the driver's readings."""

import sys
import time
from types import SimpleNamespace

from perfproof.machine import facts
from perfproof.peak import timing
from perfproof.peak.found import NotMeasured, attempt, duration, rate, reason
from perfproof.peak.sampler import Reading, Sampler, watts


def test_every_repeat_is_one_reading(tiny):
    calls = []
    assert len(timing.host_samples(lambda: calls.append(1), tiny)) == tiny.repeats
    assert len(timing.burst_samples(lambda: None, tiny)) == tiny.repeats
    assert len(timing.sustained_samples(lambda: None, tiny)) >= 1
    assert len(calls) > tiny.repeats


def test_calls_are_added_until_a_sample_is_long_enough(monkeypatch):
    monkeypatch.setattr(timing, "timed", lambda call, calls: calls * 1e-5)
    assert timing.calls_for(None, 1e-3) >= 100
    assert timing.calls_for(None, 1e-6) == 1


def test_a_clock_that_stands_still_gives_no_ceiling():
    (found,) = attempt("x", duration, "x", [0.0], "")
    assert found.why == "the clock gave no usable reading"
    assert reason(ValueError("a\nb")) == "ValueError: a b" and reason(NotMeasured("plain")) == "plain"


def test_a_rate_is_work_over_time():
    found = rate("x", 100.0, [1.0, 2.0, 4.0], "bytes/s", "bytes")
    assert (found.value, found.low, found.high) == (50.0, 25.0, 100.0)


def test_clocks_are_summed_up_over_the_windows_of_work_only():
    sampler = Sampler("cuda:0")
    for at, clock, reasons in ((1.0, 345, ()), (2.0, 1980, ()), (2.1, 1900, ("software power cap",)), (3.0, 345, ())):
        sampler.readings.append(Reading(at, clock, clock / 3, 50.0, reasons))
    seen = sampler.summary([(1.9, 2.5)])
    assert (seen["sm_mhz"], seen["sm_mhz_lowest"], seen["readings"]) == (1940.0, 1900, 2)
    assert seen["held_back_by"] == {"software power cap": 0.5}
    assert sampler.summary()["readings"] == 4


def test_without_a_driver_the_clock_is_unknown_not_zero(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with Sampler("cuda:0") as sampler:
        pass
    assert sampler.summary()["clocks"].startswith("unknown: ModuleNotFoundError")


class FakeNvml(SimpleNamespace):
    NVMLError = type("NVMLError", (Exception,), {})
    NVML_CLOCK_SM, NVML_TEMPERATURE_GPU, NVML_SUCCESS = 1, 0, 0


def fake_driver(instant_milliwatts):
    field = SimpleNamespace(nvmlReturn=0, value=SimpleNamespace(uiVal=instant_milliwatts))
    return FakeNvml(
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: None,
        nvmlDeviceGetHandleByUUID=lambda uuid: uuid,
        nvmlDeviceGetClockInfo=lambda handle, kind: 1500,
        nvmlDeviceGetTemperature=lambda handle, kind: 61,
        nvmlDeviceGetFieldValues=lambda handle, fields: [field],
        nvmlDeviceGetPowerUsage=lambda handle: 640_000,
        nvmlDeviceGetCurrentClocksEventReasons=lambda handle: 0x5,
    )


def test_the_driver_is_read_while_the_work_goes_on(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", fake_driver(700_000))
    monkeypatch.setattr(facts, "usable_gpus", lambda: ([SimpleNamespace(uuid="GPU-1")], ""))
    with Sampler("cuda:0") as sampler:
        while len(sampler.readings) < 2:
            time.sleep(0.005)
    seen = sampler.summary()
    assert (seen["sm_mhz"], seen["watts"], seen["celsius_highest"]) == (1500, 700, 61)
    assert seen["held_back_by"] == {"software power cap": 1.0}  # being idle holds nothing back


def test_power_is_the_average_where_the_driver_has_no_instant_reading():
    assert watts(fake_driver(700_000), "GPU-1") == 700
    assert watts(fake_driver(0), "GPU-1") == 640
