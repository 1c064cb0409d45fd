"""The rules that the picture and the diagnosis share: what each alone decides is in their own tests."""

import pytest

from perfproof.core.events import Events, Kind
from perfproof.profile.idle_causes import caused_idle, host_times

US = 1000


LAUNCHING = {"process": 1, "thread": 1}


def idle_cause(*calls, launched=480, rank=0, owner=LAUNCHING, known=True):
    """Of a gap from 100 to 500 µs, with the host's calls (name, start, end) of `owner`; the launch is of LAUNCHING.

    Calls are of `rank`, the gap of rank 0. `known`: whether the trace holds the launch.
    """
    events = Events("test")
    for number, (start, end) in enumerate([(0, 100), (500, 600)]):
        events.add(Kind.KERNEL, "k", start * US, end * US, device=0, rank=0, correlation=number)
    number = 1 if known else 99
    events.add(
        Kind.RUNTIME, "cudaLaunchKernel", launched * US, (launched + 5) * US, correlation=number, rank=0, **LAUNCHING
    )
    for name, start, end in calls:
        events.add(Kind.RUNTIME, name, start * US, end * US, rank=rank, **owner)
    (gap,) = caused_idle(events, 0, 0, [(0, 600 * US)], host_times(events, 0, []))
    assert gap.length_ns == 400 * US
    return gap.cause


@pytest.mark.parametrize(
    ("calls", "cause"),
    [
        ([], "host"),
        ([("cudaDeviceSynchronize", 50, 110)], "sync"),
        ([("cudaDeviceSynchronize", 50, 97)], "sync"),  # the two clocks may differ by a little
        ([("cudaDeviceSynchronize", 50, 90)], "host"),
        ([("cudaDeviceSynchronize", 50, 110), ("cudaMalloc", 110, 400)], "allocation"),
        ([("cudaMallocAsync", 110, 400)], "host"),
        ([("cudaMemcpyAsync", 110, 400)], "copy call"),
        ([("cudaMemcpyAsync", 110, 200)], "host"),
    ],
)
def test_the_first_rule_that_fits(calls, cause):
    assert idle_cause(*calls) == cause


def test_another_ranks_calls_explain_nothing():
    assert idle_cause(("cudaFree", 110, 400), rank=1) == "host"


@pytest.mark.parametrize("owner", [{"process": 1, "thread": 2}, {"process": 2, "thread": 1}])
@pytest.mark.parametrize("call", ["cudaEventSynchronize", "cudaFree", "cudaMemcpyAsync"])
def test_calls_of_a_thread_that_did_not_launch_explain_nothing(call, owner):
    assert idle_cause((call, 50, 490), owner=owner) == "host"
    assert idle_cause((call, 50, 490)) != "host"


def test_without_the_launch_no_thread_is_known_whose_calls_could_explain_it():
    assert idle_cause(("cudaDeviceSynchronize", 50, 110), known=False) == "unknown"


def test_work_that_was_queued_waited_for_something_else():
    assert idle_cause(launched=50) == "waiting"


def test_a_host_that_waits_for_what_it_has_queued_holds_nothing_up():
    assert idle_cause(("cudaDeviceSynchronize", 60, 590), launched=50) == "waiting"
