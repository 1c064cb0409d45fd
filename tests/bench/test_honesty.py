"""The run's own clock against a worker's claims."""

import time

import pytest

from perfproof.bench import honesty
from perfproof.core.errors import WorkerLied

MS = 1_000_000


def row(start, end, calls=1, seconds=None, host=None):
    return [start, end, (end - start) * 1e-9 / calls if seconds is None else seconds, host, 0, 0]


def test_samples_inside_the_question_are_believed():
    honesty.check_window([row(1 * MS, 3 * MS), row(4 * MS, 6 * MS)], [1, 1], 0, 7 * MS)


@pytest.mark.parametrize(
    "rows",
    [
        [row(-1 * MS, 1 * MS)],  # began before it was asked for
        [row(5 * MS, 9 * MS)],  # ended after the answer
        [row(1 * MS, 4 * MS), row(3 * MS, 5 * MS)],  # overlap
        [row(4 * MS, 3 * MS)],  # ends before it begins
    ],
)
def test_samples_that_cannot_have_happened_are_a_lie(rows):
    with pytest.raises(WorkerLied, match="outside"):
        honesty.check_window(rows, [1] * len(rows), 0, 7 * MS)


def test_more_time_than_passed_is_a_lie():
    with pytest.raises(WorkerLied, match="more time than passed"):
        honesty.check_window([row(1 * MS, 3 * MS, seconds=0.005)], [1], 0, 7 * MS)


def test_the_audit_finds_time_that_the_worker_does_not_claim():
    def hiding(side, calls):
        time.sleep(0.02)
        return 0.010

    assert "time is hidden" in honesty.audit(hiding, {"optimized": 0.001})


def test_the_audit_passes_a_worker_that_claims_what_it_takes():
    def honest(side, calls):
        started = time.perf_counter()
        time.sleep(0.001 * calls)
        return time.perf_counter() - started

    assert honesty.audit(honest, {"baseline": 0.001, "optimized": 0.001}) == ""


def test_the_audit_asks_for_as_many_calls_as_fill_its_time():
    asked = []

    def counting(side, calls):
        asked.append((side, calls))
        return 10.0

    honesty.audit(counting, {"baseline": 0.0001})
    assert set(asked) == {("baseline", round(honesty.AUDIT_SECONDS / 0.0001))}


def test_events_that_end_before_the_device_does_disagree_with_the_host():
    assert honesty.clocks_agree(row(0, 2 * MS, seconds=0.002, host=0.00205), 1)
    assert not honesty.clocks_agree(row(0, 9 * MS, seconds=0.002, host=0.009), 1)
    assert honesty.clocks_agree(row(0, 2 * MS, seconds=0.002, host=None), 1)


def test_a_moment_of_the_host_is_no_finding_but_a_habit_is():
    assert honesty.escaped(3, 100, "optimized") == ""
    assert "optimized: device work went on" in honesty.escaped(60, 100, "optimized")
