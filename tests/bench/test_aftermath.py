"""What samples look like afterwards: threads beside them, and calls that were spared their work."""

import pytest

from perfproof.bench.aftermath import (
    BESIDE_SHARE,
    FRESH_SLACK,
    FRESH_TIMES,
    FRESH_USUAL,
    Memory,
    Taken,
    beside_problem,
    remembered_problem,
)


def taken(share, seconds=1.0):
    found = Taken()
    found.add(seconds, 10, (1 - share) * seconds, share * seconds)
    return found


def test_samples_are_summed_up():
    found = Taken()
    for seconds, calls, own, foreign in ((0.3, 3, 0.2, 0.1), (0.8, 4, 0.8, 0.0), (0.5, 10, 0.1, 0.4)):
        found.add(seconds, calls, own, foreign)
    assert found.call_seconds == pytest.approx(0.1)
    assert found.usual_length == 4
    assert found.foreign_share == pytest.approx(0.5 / 1.6)
    assert Taken().foreign_share == 0.0


def test_threads_that_run_only_beside_the_other_side_are_a_finding():
    assert beside_problem("baseline", taken(BESIDE_SHARE * 0.9), taken(0.0)) == ""
    found = beside_problem("baseline", taken(0.15), taken(0.0))
    assert found == "baseline: other threads ran for 15% of its CPU time, alone for 0%: join what was started"


def test_threads_of_its_own_are_none():
    assert beside_problem("optimized", taken(0.8), taken(0.79)) == ""


def memory(timed, fresh):
    return Memory([timed] * 3, [fresh] * 3)


def test_a_call_that_costs_more_on_new_values_was_spared_work_when_it_was_timed():
    found = {"baseline": memory(100e-6, 105e-6), "optimized": memory(10e-6, 100e-6)}
    words = remembered_problem("optimized", found)
    assert words.startswith("optimized takes 100 µs a call on values made just before it, 10 µs when timed")
    assert remembered_problem("baseline", found) == ""
    assert remembered_problem("optimized", {**found, "optimized": memory(10e-6, 12e-6)}) == ""


def test_what_single_calls_cost_everybody_is_allowed_for():
    assert remembered_problem("optimized", {"baseline": memory(1e-4, 3e-4), "optimized": memory(1e-4, 3.2e-4)}) == ""
    assert remembered_problem("optimized", {"baseline": memory(1e-4, 1e-4), "optimized": memory(1e-4, 3.2e-4)})


def test_one_round_that_was_held_up_is_no_finding():
    held_up = Memory([1e-4] * 5, [1e-4, 1e-4, 1e-4, 1e-2, 1e-2])
    assert remembered_problem("optimized", {"baseline": memory(1e-4, 1e-4), "optimized": held_up}) == ""


def test_a_side_by_itself_is_held_to_what_is_usual():
    limit = FRESH_TIMES * FRESH_USUAL * 1e-3 + FRESH_SLACK
    assert remembered_problem("optimized", {"optimized": memory(1e-3, limit * 0.99)}) == ""
    assert remembered_problem("optimized", {"optimized": memory(1e-3, limit * 1.01)})
