"""The answers of ranks as one: the slowest, the worst, the largest; and who it was."""

import pytest

from perfproof.bench.ranks.replies import merged, slowest_row
from perfproof.bench.ranks.times import unevenness
from perfproof.worker.row import Row


def check(name, result, detail=""):
    return {"name": name, "result": result, "detail": detail}


def test_a_row_spans_all_ranks_and_has_the_slowest_one_s_seconds():
    row = slowest_row([Row(100, 900, 9.9, None, 1, 0), Row(110, 950, 9.9, None, 0, 2)], [6e-7, 8e-7], calls=2)
    assert row == Row(100, 950, 4e-7, None, 1, 2)
    assert row.ranks == [3e-7, 4e-7] and row.skew_ns == 10


def test_what_escaped_the_device_clock_of_the_fast_rank_shows():
    row = slowest_row([Row(0, 9, 0, 0.5), Row(0, 9, 0, 1.01)], [0.1, 1.0], calls=1)
    assert row.host_seconds == pytest.approx(1.0 + 0.4)


def test_more_columns_are_the_slowest_rank_s():
    rows = [Row(0, 9, 0, cpu_seconds=seconds, waits=seconds) for seconds in (1, 2)]
    found = slowest_row(rows, [1, 2], 1)
    assert (found.cpu_seconds, found.waits) == (2, 2)


def test_samples_are_joined_one_by_one():
    replies = [
        {
            "rows": [[0, 1, 0, None, 0, 0], [2, 3, 0, None, 0, 0]],
            "own_seconds": [1.0, 4.0],
            "repeated": 0.1,
            "held_sets": 9,
        },
        {
            "rows": [[0, 1, 0, None, 0, 0], [2, 3, 0, None, 0, 0]],
            "own_seconds": [2.0, 3.0],
            "repeated": 0.3,
            "held_sets": 8,
        },
    ]
    found = merged(replies, {"samples": [["baseline", 1, False], ["optimized", 2, False]]})
    assert [row.seconds for row in found["rows"]] == [2.0, 2.0]
    assert (found["repeated"], found["held_sets"]) == (0.3, 9)


def test_a_failure_of_one_rank_is_a_failure_with_its_name():
    replies = [{"checks": [check("a", "pass"), check("b", "pass")]}, {"checks": [check("a", "fail", "off")]}]
    assert merged(replies, {})["checks"] == [check("a", "fail", "rank 1: off"), check("b", "pass")]


def test_what_all_ranks_say_is_said_once():
    replies = [{"checks": [check("a", "fail", "off")]}] * 2
    assert merged(replies, {})["checks"] == [check("a", "fail", "off")]


def test_errors_are_the_worst_and_calls_are_added_up():
    replies = [
        {"errors": {"baseline": {"rms": 1.0, "max": 5.0}}, "calls": {"baseline": 3}},
        {"errors": {"baseline": {"rms": 2.0, "max": 4.0}}, "calls": {"baseline": 4}},
    ]
    found = merged(replies, {})
    assert found == {"errors": {"baseline": {"rms": 2.0, "max": 5.0}}, "calls": {"baseline": 7}}


def test_times_are_the_longest_and_one_that_nobody_has_stays_away():
    replies = [{"setup_seconds": {"a": None, "b": 1.0}}, {"setup_seconds": {"a": None, "b": 2.0}}]
    assert merged(replies, {})["setup_seconds"] == {"a": None, "b": 2.0}


def test_what_a_process_needs_to_start_is_the_slowest_rank_s():
    replies = [
        {"first_call_seconds": {"a": 1.0}, "draw_seconds": 3.0},
        {"first_call_seconds": {"a": 2.0}, "draw_seconds": 1.0},
    ]
    assert merged(replies, {}) == {"first_call_seconds": {"a": 2.0}, "draw_seconds": 3.0}


def test_memory_is_the_largest_rank_s_and_unknown_where_one_is():
    known = {"peak": 5, "counter": "VmHWM", "quantum": 1}
    found = merged([known, {**known, "peak": 9}], {})
    assert (found["peak"], found["counter"]) == (9, "VmHWM, the largest of 2 ranks")
    assert merged([known, {**known, "peak": None}], {})["peak"] is None


def test_energy_is_that_of_all_ranks_together_over_the_calls_that_they_made_together():
    replies = [{"joules": 2.0, "watts": 10.0, "calls": 7}, {"joules": 3.0, "watts": 11.0, "calls": 7}]
    assert merged(replies, {}) == {"joules": 5.0, "watts": 21.0, "calls": 7}
    assert merged([{"joules": None}, {"joules": 1.0}], {}) == {"joules": None}


def test_what_devices_recorded_is_taken_as_it_is():
    replies = [{"rows": [[0, 9, seconds, None, 0, 0]]} for seconds in (1.0, 3.0)]
    (row,) = merged(replies, {"samples": [["baseline", 2, False]]})["rows"]
    assert (row.seconds, row.ranks) == (3.0, [1.0, 3.0])


def test_what_is_not_known_here_is_the_first_rank_s():
    assert merged([{"cost": {"bytes": 1.0}}, {"cost": {"bytes": 1.0}}], {}) == {"cost": {"bytes": 1.0}}


def test_the_straggler_is_who_is_last_most_often():
    found = unevenness([[1.0, 2.0], [1.0, 4.0], [3.0, 2.9]])
    assert (found.straggler, found.straggler_share, found.spread) == (1, pytest.approx(2 / 3), 0.5)
    assert unevenness([]) is None
