"""The ladder: measuring moves up where switching is unfair, and stops on width, not on what it says."""

import math
import random
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.bench import comparison
from perfproof.bench.comparison import Comparison, climb, verdict_of
from perfproof.bench.job import IN_TURN, LADDER, PLAIN, Job
from perfproof.bench.process import creation_order
from perfproof.bench.process_record import ProcessRecord
from perfproof.core.documents import Check
from perfproof.core.options import EFFORTS
from perfproof.stats.quads import Quad, Sample, schedule


def job(effort="standard", variants=("optimized",), budget=60.0):
    now = time.monotonic()
    return Job(
        target="t",
        source={},
        arguments=("x",),
        constant=(),
        mutates=(),
        cold=(),
        tolerance={},
        lowers_precision=False,
        variants=variants,
        claim="time",
        clock="call",
        device="cpu",
        sizes={},
        smoke=None,
        threads=1,
        cpus=(0,),
        footprint=1,
        effort=EFFORTS[effort],
        delta=0.01,
        seed="5eed",
        deadline=now + 60,
        budget_end=now + budget,
    )


def record(number, couple, slot, *, theta=0.0, switch=0.0, noise=0.002, slot_effect=0.0):
    """A process whose variant takes exp(-theta) of the baseline's time, and `switch` more after the other side."""
    rng = random.Random(f"{number}/{couple}/{slot}")
    found = ProcessRecord(number, couple, slot)
    before = None
    for kind, order in schedule(("optimized",), 100, rng):
        samples = []
        for letter in order:
            side = "baseline" if letter == "A" else kind
            logs = rng.gauss(0, noise) - (theta if side == "optimized" else 0.0)
            logs -= slot * slot_effect if side == "optimized" else 0.0
            logs += switch if side == "optimized" and before != side else 0.0
            samples.append(Sample(side, 1e-3 * math.exp(logs), 0, 1, 1))
            before = side
        found.quads.append(Quad(kind, tuple(samples)))
    return found


@pytest.fixture
def measured(monkeypatch):
    """Stand in for workers: what each rung shows is given by the test."""
    asked = []

    def stand_in(behaviour):
        def run_process(job, launch, rung, number, couple, slot, first, primed, sampled):
            asked.append((rung.name, number, slot))
            return record(number, couple, slot, **behaviour(rung))

        monkeypatch.setattr(comparison, "run_process", run_process)
        opened = SimpleNamespace(close=lambda: None)
        return SimpleNamespace(
            get=lambda number: opened, new=lambda: opened, apart=False, fork_ahead=lambda n: 0
        ), asked

    return stand_in


def quiet(*_, **__):
    return None


def test_a_fair_comparison_stays_on_the_plain_rung_and_stops_at_eight_launches(measured):
    launches, asked = measured(lambda rung: dict(theta=0.05))
    (found,) = climb(job(), launches, quiet)
    assert (found.rung, found.launches, len(asked)) == (PLAIN, 8, 16)
    result = verdict_of(found, "optimized")
    assert result.verdict == "faster" and result.ratio == pytest.approx(math.exp(0.05), rel=0.002)


def test_stopping_looks_at_the_width_and_not_at_the_verdict(measured):
    launches, _ = measured(lambda rung: dict(theta=0.05, noise=0.2))
    (found,) = climb(job(), launches, quiet)
    assert found.launches == 15, "too wide at eight, however clear the difference is"


def test_a_switch_that_costs_one_side_more_moves_the_measurement_up(measured):
    launches, _ = measured(lambda rung: dict(switch=0.03 if rung.name in ("plain", "lead-in") else 0.0))
    rungs = climb(job(), launches, quiet)
    assert [found.rung.name for found in rungs] == ["plain", "lead-in", "10 ms"]
    assert verdict_of(rungs[0], "optimized").carry_over == pytest.approx(0.03, abs=0.005)
    assert verdict_of(rungs[-1], "optimized").verdict == "same"


def test_a_switch_that_never_stops_costing_ends_on_samples_that_stay(measured):
    launches, _ = measured(lambda rung: dict(switch=0.03))
    rungs = climb(job(), launches, quiet)
    assert [found.rung for found in rungs] == list(LADDER)
    result = verdict_of(rungs[-1], "optimized")
    assert result.rung == "stay" and result.verdict == "same", "what follows its own kind pays for no switch"
    assert verdict_of(rungs[0], "optimized").verdict != "same"


def test_what_a_side_leaves_for_itself_counts_against_it(measured):
    """After itself the variant takes 5 % longer, after the other side not; a lead-in hides it."""
    hidden = dict(theta=0.0)
    launches, _ = measured(lambda rung: hidden if rung.name == "lead-in" else dict(theta=-0.05, switch=-0.05))
    rungs = climb(job(), launches, quiet)
    assert [found.rung.name for found in rungs] == ["plain", "lead-in", "stay"]
    result = verdict_of(rungs[-1], "optimized")
    assert result.verdict == "slower" and result.ratio == pytest.approx(math.exp(-0.05), rel=0.005)


def test_final_effort_drives_processes_in_turn(measured):
    launches, asked = measured(lambda rung: dict(theta=0.02))
    (found,) = climb(job("final"), launches, quiet)
    assert found.rung == IN_TURN and found.launches == 20
    assert {rung for rung, _, _ in asked} == {"in-turn"}


def test_one_launch_is_five_couples_and_its_interval_is_over_them(measured):
    launches, asked = measured(lambda rung: dict(theta=0.3))
    found = comparison.measure(job("quick"), PLAIN, launches, quiet)
    assert found.launches == 1 and len(asked) == 10
    assert len(found.units("optimized")) == 5


def test_the_budget_ends_the_rounds(measured):
    launches, _ = measured(lambda rung: dict(theta=0.05))
    found = comparison.measure(job(budget=-1.0), PLAIN, launches, quiet)
    assert found.out_of_budget and found.launches == 1
    assert verdict_of(found, "optimized").verdict == "indicative"


def test_slots_are_balanced_out_of_the_ratio_and_shown(measured):
    launches, _ = measured(lambda rung: dict(theta=0.02, slot_effect=0.08))
    (found,) = climb(job(), launches, quiet)
    result = verdict_of(found, "optimized")
    assert result.ratio == pytest.approx(math.exp(0.02), rel=0.002)
    assert result.slot_effect == pytest.approx(0.08, abs=0.003)


def test_the_plan_is_told_once_and_progress_after_every_couple(measured):
    said = []
    launches, _ = measured(lambda rung: dict(theta=0.05))
    climb(job(), launches, lambda *progress, **extra: said.append((*progress, extra)))
    lines = [extra["line"] for *_, extra in said if extra]
    assert len(lines) == 1 and "±1 % needs about" in lines[0]
    assert [phase for phase, _, _, extra in said if not extra][-1] == "plain: 8 of 8"


def test_the_slots_of_a_couple_exchange_baseline_and_variant_and_the_twin_changes_ends():
    assert creation_order(("optimized",), 1, 0) == ["baseline", "optimized", "twin"]
    assert creation_order(("optimized",), -1, 0) == ["optimized", "baseline", "twin"]
    assert creation_order(("optimized",), 1, 1) == ["twin", "baseline", "optimized"]


def test_a_process_votes_once_whatever_its_samples():
    found = Comparison(job(), PLAIN)
    for number, seconds in enumerate([1.0, 1.0, 9.0]):
        one = ProcessRecord(number, 0, 1)
        one.rows = [dict(side="baseline", seconds=seconds, valid=True)] * (1 + 100 * number)
        found.records.append(one)
    assert comparison.seconds_a_call(found, "baseline") == 1.0


def test_noise_is_met_with_more_launches_until_patience_ends(measured):
    launches, _ = measured(lambda rung: {"theta": 0.0, "noise": 0.3})
    noisy = job()
    assert climb(noisy, launches, quiet)[-1].launches == 15
    hurried = replace(noisy, effort=replace(noisy.effort, patience=0.0))
    assert climb(hurried, launches, quiet)[-1].launches == 8


def test_a_rung_on_which_switching_disturbs_is_left_as_soon_as_that_can_be_told(measured):
    launches, asked = measured(lambda rung: {"theta": 0.0, "noise": 0.05, "switch": 0.2 if rung == PLAIN else 0.0})
    climb(job(), launches, quiet)
    assert sum(name == "plain" for name, *_ in asked) == 2 * 5


def test_where_time_is_not_the_claim_it_is_measured_once_and_its_band_says_what_switching_may_have_done(measured):
    launches, _ = measured(lambda rung: dict(switch=0.03))
    (found,) = climb(replace(job(), claim="memory"), launches, quiet)
    assert (found.rung, found.launches) == (PLAIN, 8)
    assert found.band("optimized") > 0.01


def test_rungs_of_longer_samples_are_left_out_where_one_call_is_as_long(measured, monkeypatch):
    launches, _ = measured(lambda rung: dict(switch=0.03))
    plain = comparison.run_process

    def slow(*arguments, **named):
        found = plain(*arguments, **named)
        found.call_seconds.update(baseline=0.02, optimized=0.007)
        return found

    monkeypatch.setattr(comparison, "run_process", slow)
    assert [found.rung.name for found in climb(job(), launches, quiet)] == ["plain", "lead-in", "50 ms", "stay"]


def test_whoever_asked_may_end_a_comparison_when_it_has_the_answer(measured):
    launches, _ = measured(lambda rung: dict(theta=-0.1))
    asked = []

    def answered(units, band):
        asked.append((len(units), band))
        return len(units) == 9

    (found,) = climb(replace(job("final"), answered=answered), launches, quiet)
    judged = verdict_of(found, "optimized")
    assert found.launches == judged.launches == 9 and [n for n, _ in asked] == list(range(1, 10))
    assert all(band > 0 for _, band in asked) and comparison.ENDED_EARLY in judged.note


def test_what_a_switch_costs_is_part_of_the_band_on_every_rung_that_switches(measured):
    launches, _ = measured(lambda rung: dict(theta=0.0, switch=0.03))
    (final,) = climb(job("final"), launches, quiet)
    assert final.carry("optimized").significant
    assert final.band("optimized") > final.bare_band
    assert verdict_of(final, "optimized").verdict not in ("faster", "slower")
    stay = replace(final, rung=LADDER[-1])
    assert stay.rung.stay and stay.band("optimized") == stay.bare_band


def test_a_check_that_fails_ends_the_climb(measured, monkeypatch):
    launches, asked = measured(lambda rung: dict(switch=0.05))
    usual = comparison.run_process

    def failing(*arguments, **more):
        found = usual(*arguments, **more)
        found.checks = [Check(name="timed outputs", result="fail" if len(asked) == 10 else "pass", detail="")]
        return found

    monkeypatch.setattr(comparison, "run_process", failing)
    found = climb(job(), launches, quiet)
    assert [one.rung for one in found] == [PLAIN] and found[-1].failed


def test_a_side_without_a_valid_sample_has_no_ratio_in_cycles():
    found = Comparison(job(), PLAIN, [ProcessRecord(0, 0, 1)])
    found.records[0].rows = [
        {"side": "baseline", "clock_hz": 2.0e9, "valid": False, "seconds": 1.0},
        {"side": "optimized", "clock_hz": 1.5e9, "valid": False, "seconds": 1.0},
    ]
    assert found.in_cycles("optimized") is None
