"""Launches, their delay, and queues."""

import pytest

from perfproof.core.events import Events, Kind
from perfproof.profile.launches import launch_of_work, launches, queue_depths


def table(calls, work):
    """calls: (start, end, correlation[, process]); work: (start, stream, correlation[, process])."""
    events = Events("test")
    for start, end, correlation, *process in calls:
        events.add(Kind.RUNTIME, "launch", start, end, correlation=correlation, process=(process or [-1])[0])
    for start, stream, correlation, *process in work:
        where = {"stream": stream, "device": 0, "correlation": correlation, "process": (process or [-1])[0]}
        events.add(Kind.KERNEL, "kernel", start, start + 10, **where)
    return events, events.where(Kind.KERNEL)


def test_the_delay_runs_from_the_return_of_the_call_to_the_start_of_its_work():
    found = launches(*table([(0, 4, 1), (5, 9, 2)], [(14, 7, 1), (8, 7, 2)]))
    assert [(one.call_ns, one.delay_ns) for one in found] == [(4, 10), (4, -1)]


def test_a_graph_is_one_launch_and_its_first_kernel_tells_the_delay():
    (found,) = launches(*table([(0, 4, 1)], [(30, 7, 1), (10, 7, 1), (20, 7, 1)]))
    assert found.delay_ns == 6


def test_correlations_of_different_processes_are_different():
    events, rows = table([(0, 1, 5, 100), (50, 51, 5, 200)], [(60, 7, 5, 200), (10, 7, 5, 100)])
    assert {events.start_ns[row]: events.start_ns[call] for row, call in launch_of_work(events, rows).items()} == {
        60: 50,
        10: 0,
    }


def test_work_without_its_call_and_without_correlation_has_no_launch():
    assert launches(*table([(0, 1, 3), (2, 3, 0), (4, 5, -1)], [(10, 7, 4), (20, 7, 0), (30, 7, -1)])) == []


def test_a_queue_is_what_was_launched_and_had_not_begun():
    events, rows = table([(0, 1, 1), (2, 3, 2), (4, 5, 3)], [(10, 7, 1), (20, 7, 2), (30, 7, 3)])
    (queue,) = queue_depths(events, rows)
    assert (queue.stream, queue.times_ns, queue.depths) == (7, [0, 2, 4, 10, 20, 30], [1, 2, 3, 2, 1, 0])
    assert queue.deepest == 3
    assert queue.mean() == pytest.approx((2 * 1 + 2 * 2 + 6 * 3 + 10 * 2 + 10 * 1) / 30)


def test_streams_have_queues_of_their_own():
    queues = queue_depths(*table([(0, 1, 1), (0, 1, 2)], [(5, 7, 1), (5, 8, 2)]))
    assert [(queue.stream, queue.depths) for queue in queues] == [(7, [1, 0]), (8, [1, 0])]
