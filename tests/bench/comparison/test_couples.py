"""Measuring stops on width, not on what it says."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.bench.comparison import couples
from perfproof.bench.comparison.couples import arrangement, measure
from perfproof.bench.comparison.steps import ISOLATED_LAUNCHES
from perfproof.bench.comparison.verdict import verdict_of
from perfproof.bench.job import IN_TURN, PLAIN
from perfproof.bench.preparation import creation_order
from perfproof.core.documents import Check
from perfproof.core.errors import WorkerTimeout
from tests.bench.comparison.recorded import job, quiet

# how much is measured


def test_a_quiet_comparison_stops_at_eight_launches(measured):
    launches, asked = measured(theta=0.05)
    found = measure(job(), PLAIN, launches, quiet)
    assert (found.launches, len(asked)) == (8, 16)
    result = verdict_of(found, "optimized")
    assert result.verdict == "faster" and result.ratio == pytest.approx(math.exp(0.05), rel=0.002)
    assert (result.launches, result.processes) == (8, 16)


def test_stopping_looks_at_the_width_and_not_at_the_verdict(measured):
    launches, _ = measured(theta=0.05, noise=0.2)
    assert measure(job(), PLAIN, launches, quiet).launches == 15, "too wide at eight, however clear the difference is"


def test_noise_is_met_with_more_launches_until_patience_ends(measured):
    launches, _ = measured(noise=0.3)
    noisy = job()
    assert measure(noisy, PLAIN, launches, quiet).launches == 15
    hurried = replace(noisy, effort=replace(noisy.effort, patience=0.0))
    assert measure(hurried, PLAIN, launches, quiet).launches == 8


def test_final_effort_and_sides_that_cannot_share_an_interpreter_are_driven_in_turn(measured):
    launches, asked = measured(theta=0.02)
    assert arrangement(job(), launches) == PLAIN
    assert arrangement(job(), SimpleNamespace(apart=True)) == IN_TURN
    found = measure(job("final"), arrangement(job("final"), launches), launches, quiet)
    assert found.rung == IN_TURN and found.launches == 20 and {one.rung for one in asked} == {IN_TURN}
    assert verdict_of(found, "optimized").rung == "in-turn-corrected"


def test_one_launch_is_five_couples_and_its_interval_is_over_them(measured):
    launches, asked = measured(theta=0.3)
    found = measure(job("quick"), PLAIN, launches, quiet)
    assert found.launches == 1 and len(asked) == 10 and len(found.units("optimized")) == 5
    assert verdict_of(found, "optimized").verdict == "faster"


def test_the_first_process_looks_by_other_clocks_and_five_launches_test_isolation_each_once(measured):
    launches, asked = measured(theta=0.05)
    measure(job(), PLAIN, launches, quiet)
    assert [one.first for one in asked] == [True] + [False] * 15
    assert [one.number for one in asked if one.isolation] == list(range(ISOLATED_LAUNCHES))
    assert all(not asked[at].isolation for at in range(0, 16, 2)), "in the second process of a couple"


@pytest.mark.parametrize(("effort", "rung"), [("quick", PLAIN), ("final", IN_TURN)])
def test_isolation_is_not_tested_in_one_launch_nor_where_sides_are_apart(measured, effort, rung):
    launches, asked = measured(theta=0.05)
    measure(job(effort), rung, launches, quiet)
    assert not any(one.isolation for one in asked)


SLOW = {"baseline": 2.0, "optimized": 1.0}


def test_where_calls_take_seconds_a_launch_has_one_process_and_the_slots_alternate(measured):
    launches, asked = measured(theta=0.05, noise=0.001)
    found = measure(replace(job(), verified_seconds=SLOW), IN_TURN, launches, quiet)
    assert [one.number for one in asked] == list(range(8)) and not any(one.isolation for one in asked)
    first = asked[0].slot
    assert [one.slot for one in asked] == [first, -first] * 4
    result = verdict_of(found, "optimized")
    assert (result.verdict, result.launches, result.processes, len(result.units)) == ("faster", 8, 8, 8)
    assert result.ratio == pytest.approx(math.exp(0.05), rel=0.002) and result.slot_effect is None


def test_a_cost_of_being_created_first_does_not_make_equal_slow_sides_differ(measured):
    launches, _ = measured(slot_effect=0.02, noise=0.001)
    result = verdict_of(measure(replace(job(), verified_seconds=SLOW), IN_TURN, launches, quiet), "optimized")
    assert result.verdict not in ("faster", "slower") and result.ratio == pytest.approx(1, abs=0.005)


def test_a_budget_that_ends_after_one_slow_process_leaves_a_hint(measured):
    launches, asked = measured(theta=0.05)
    found = measure(replace(job(budget=-1.0), verified_seconds=SLOW), IN_TURN, launches, quiet)
    result = verdict_of(found, "optimized")
    assert len(asked) == 1 and (result.verdict, result.launches, result.low) == ("indicative", 1, None)
    assert result.ratio == pytest.approx(math.exp(0.05), rel=0.005)


@pytest.mark.parametrize("calls", [SLOW, {}])
def test_a_slow_process_that_runs_out_of_time_leaves_what_there_is_and_a_hang_is_a_timeout(
    measured, monkeypatch, calls
):
    launches, asked = measured(theta=0.05)
    usual = couples.run_process

    def run_process(*arguments, **more):
        if len(asked) == 3:
            raise WorkerTimeout("ran out of time during samples")
        return usual(*arguments, **more)

    monkeypatch.setattr(couples, "run_process", run_process)
    one = replace(job(), verified_seconds=calls)
    if not calls:
        with pytest.raises(WorkerTimeout):
            measure(one, PLAIN, launches, quiet)
        return
    found = measure(one, IN_TURN, launches, quiet)
    assert found.launches == 3 and found.out_of_budget and verdict_of(found, "optimized").verdict == "indicative"


@pytest.mark.parametrize(("ready", "processes"), [(4.0, 16), (6.0, 8)])
def test_if_it_takes_long_to_get_ready_a_launch_has_one_process_too(measured, monkeypatch, ready, processes):
    launches, asked = measured(theta=0.05)
    usual = couples.run_process

    def slow_to_begin(*arguments, **more):
        found = usual(*arguments, **more)
        found.ready_seconds, found.room = ready, 1.0
        return found

    monkeypatch.setattr(couples, "run_process", slow_to_begin)
    found = measure(job(), PLAIN, launches, quiet)
    assert (found.launches, len(asked)) == (8, processes) and verdict_of(found, "optimized").verdict == "faster"
    if processes == 8:
        assert asked[0].slot == -asked[1].slot == asked[2].slot
        assert [one.number for one in asked if one.isolation] == [1, 2, 3, 4], "the first was not known to be slow"


@pytest.mark.parametrize("effort", ["quick", "final"])
def test_other_efforts_have_their_processes_however_long_calls_take(measured, effort):
    launches, asked = measured(theta=0.05)
    measure(replace(job(effort), verified_seconds=SLOW), PLAIN, launches, quiet)
    assert len(asked) == {"quick": 10, "final": 40}[effort]


@pytest.mark.parametrize(("seconds", "room", "rung"), [(0.4, 9, PLAIN), (2.0, 9, IN_TURN), (2.0, 1.5, PLAIN)])
def test_sides_with_slow_calls_have_processes_of_their_own_if_there_is_memory(seconds, room, rung):
    calls = {"baseline": seconds / 2, "optimized": seconds / 2}
    one = replace(job(), verified_seconds=calls, room=room)
    assert arrangement(one, SimpleNamespace(apart=False)) == rung


def test_a_check_that_fails_ends_it(measured, monkeypatch):
    launches, asked = measured(theta=0.05)
    usual = couples.run_process

    def failing(*arguments, **more):
        found = usual(*arguments, **more)
        found.checks = [Check(name="timed outputs", result="fail" if len(asked) == 5 else "pass", detail="")]
        return found

    monkeypatch.setattr(couples, "run_process", failing)
    found = measure(job(), PLAIN, launches, quiet)
    assert found.failed and len(asked) == 5


def test_the_slots_of_a_couple_exchange_baseline_and_variant_and_the_twin_changes_ends():
    assert creation_order(("optimized",), 1, 0) == ["baseline", "optimized", "twin"]
    assert creation_order(("optimized",), -1, 0) == ["optimized", "baseline", "twin"]
    assert creation_order(("optimized",), 1, 1) == ["twin", "baseline", "optimized"]
