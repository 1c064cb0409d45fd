"""Why a device computed nothing: each cause from a small trace that has that one."""

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.core.events import Events, Kind
from perfproof.profile.idle_causes import Cause
from perfproof.profile.intervals import gaps, total, union
from perfproof.profile.step_gaps import DRAWN, caused_gaps

UNHURRIED = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

US = 1000


class Trace:
    """Times in microseconds."""

    def __init__(self):
        self.events = Events("test")
        self.number = 0

    def kernel(self, start, end, launched=None, launch_took=5):
        self.number += 1
        if launched is not None:
            self.host("cudaLaunchKernel", launched, launched + launch_took, Kind.RUNTIME, self.number)
        self.device(Kind.KERNEL, start, end, self.number)

    def device(self, kind, start, end, correlation=-1):
        self.events.add(kind, "work", start * US, end * US, device=0, stream=7, correlation=correlation)

    def host(self, name, start, end, kind, correlation=-1):
        self.events.add(kind, name, start * US, end * US, thread=1, correlation=correlation)

    def causes(self, start=0, end=1000):
        found = caused_gaps(self.events, -1, 0, (start * US, end * US))
        return [(one.start_ns // US, one.end_ns // US, one.cause) for one in found]


@pytest.fixture
def trace():
    trace = Trace()
    trace.kernel(0, 100, launched=-10)
    return trace


def test_a_kernel_launched_after_the_one_before_had_ended_waits_for_the_host(trace):
    trace.kernel(500, 1000, launched=480)
    assert trace.causes() == [(100, 500, "host")]


def test_a_host_in_its_input_pipeline_is_the_cause(trace):
    trace.host("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 150, 470, Kind.RANGE)
    trace.kernel(500, 1000, launched=480)
    assert trace.causes() == [(100, 500, "input")]


def test_a_short_look_into_the_input_is_not(trace):
    trace.host("enumerate(DataLoader)", 150, 200, Kind.RANGE)
    trace.kernel(500, 1000, launched=480)
    assert trace.causes() == [(100, 500, "host")]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("cudaStreamSynchronize", Kind.RUNTIME), ("cudaDeviceSynchronize", Kind.RUNTIME), ("cudaMemcpy", Kind.RUNTIME)],
)
def test_a_host_that_waited_for_the_device_when_the_gap_began_is_a_synchronisation(trace, name, kind):
    trace.host(name, 20, 110, kind)
    trace.kernel(500, 1000, launched=480)
    assert trace.causes() == [(100, 500, "sync")]


def test_an_earlier_wait_is_not_the_cause(trace):
    trace.host("cudaStreamSynchronize", 20, 60, Kind.RUNTIME)
    trace.kernel(500, 1000, launched=480)
    assert trace.causes() == [(100, 500, "host")]


def test_while_a_copy_runs_it_is_the_copy_and_the_rest_has_its_own_cause(trace):
    trace.host("cudaMemcpyAsync", 190, 195, Kind.RUNTIME, 99)
    trace.device(Kind.COPY, 200, 300, 99)
    trace.kernel(500, 1000, launched=480)
    assert trace.causes() == [(100, 200, "host"), (200, 300, "copy"), (300, 500, "host")]


def test_a_queued_kernel_begins_after_the_gap_of_any_two_launches(trace):
    trace.kernel(110, 1000, launched=50)
    assert trace.causes() == [(100, 110, "launch")]


def test_a_launch_that_takes_as_long_as_the_gap_is_its_cause(trace):
    trace.kernel(500, 1000, launched=120, launch_took=370)
    assert trace.causes() == [(100, 500, "launch")]


def test_a_queued_kernel_that_is_late_waited_for_something_else(trace):
    trace.kernel(500, 1000, launched=50)
    assert trace.causes() == [(100, 500, "other")]


def test_without_a_launch_in_the_file_the_cause_is_unknown(trace):
    trace.kernel(500, 1000)
    assert trace.causes() == [(100, 500, "unknown")]
    assert trace.causes(end=1200)[-1] == (1000, 1200, "unknown")


def test_a_host_that_gets_memory_of_the_system_is_the_cause_as_the_diagnosis_says(trace):
    trace.host("cudaFree", 110, 400, Kind.RUNTIME)
    trace.kernel(500, 1000, launched=480)
    assert trace.causes() == [(100, 500, "allocation")]


def test_a_host_inside_a_copying_call_is_told_apart(trace):
    trace.host("cudaMemcpyAsync", 110, 400, Kind.RUNTIME)
    trace.kernel(500, 1000, launched=480)
    assert trace.causes() == [(100, 500, "copying")]


def test_a_window_that_begins_inside_a_gap_keeps_its_cause(trace):
    trace.kernel(500, 1000, launched=480)
    assert trace.causes(start=470) == [(470, 500, "host")]


def test_every_cause_of_the_diagnosis_is_drawn():
    assert set(DRAWN) == set(get_args(Cause))


spans = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=12)


@UNHURRIED
@given(spans, spans, st.integers(0, 40), st.integers(1, 60))
def test_gaps_fill_exactly_what_no_kernel_covers(kernels, copies, start, length):
    trace = Trace()
    for begin, took in kernels:
        trace.kernel(begin, begin + took, launched=max(0, begin - 3))
    for begin, took in copies:
        trace.device(Kind.COPY, begin, begin + took)
    window = (start * US, (start + length) * US)
    busy = union((begin * US, (begin + took) * US) for begin, took in kernels)
    found = caused_gaps(trace.events, -1, 0, window)
    assert sum(one.end_ns - one.start_ns for one in found) == total(gaps(busy, window))
    assert union((one.start_ns, one.end_ns) for one in found) == gaps(busy, window)
