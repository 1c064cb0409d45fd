"""From paired runs to outcomes: what Holm confirms, and what a flag was where nothing is confirmed."""

import math

import pytest

from perfproof.core.documents import Memory, RatioResult, TargetResult, VariantResult
from perfproof.core.verification import Outcome, Screening
from perfproof.history.outcomes import (
    answered,
    clearly_decided,
    conclude_flagged,
    conclude_paired,
    correct,
    read_trial,
)
from perfproof.history.screening import Screened
from perfproof.stats.multiple import one_sided_p
from perfproof.stats.units import interval
from tests.history.measured_runs import judged, started, weighed


def tried(ratio, side="optimized", spread=1.0, verdict="same", **fields):
    """The trial of a side that is `ratio` times as fast as at the earlier revision."""
    half = 0.008 * spread
    values = {"low": ratio * math.exp(-half), "high": ratio * math.exp(half)} | fields
    result = TargetResult(
        target="t", status="ok", verdict=verdict, ratios={"b": judged(ratio, verdict, spread, **values)}
    )
    return read_trial(side, "0123456789abcdef01234567" + 16 * "0", "a-run", result)


def flagged(difference, *trials, baseline=False, changed=()):
    fields = dict.fromkeys(("expected", "today", "standard_error", "limit", "detectable", "between_days"), 0.01)
    seen = Screening(**fields, difference=difference, days=3, flagged=True)
    outcome = Outcome(target="t", variant="optimized", outcome="same", trials=list(trials), changed=list(changed))
    setattr(outcome, "baseline" if baseline else "screening", seen)
    return Screened(outcome, "c", ratio_flagged=not baseline, baseline_flagged=baseline)


def concluded(row, rows=1):
    correct(row.outcome.trials, rows)
    conclude_flagged(row)
    return row.outcome


def test_a_slower_variant_is_a_regression_and_is_named():
    outcome = concluded(flagged(-0.1, tried(0.9)), rows=150)
    assert outcome.outcome == "regression" and outcome.reason == "optimized takes 11.1 % longer than at 0123456789ab"


def test_a_faster_variant_is_an_improvement():
    assert concluded(flagged(0.1, tried(1.1))).outcome == "improvement"


def test_a_ratio_that_rose_because_the_baseline_is_slower_is_a_regression_of_the_baseline():
    outcome = concluded(flagged(0.1, tried(1.0), tried(0.9, "baseline")))
    assert outcome.outcome == "regression" and outcome.reason.startswith("baseline takes")


def test_where_the_program_did_not_change_the_environment_did():
    outcome = concluded(flagged(-0.1, tried(1.0), tried(1.0, "baseline"), changed=["driver: 1 -> 2"]))
    assert outcome.outcome == "environment" and "driver: 1 -> 2" in outcome.reason
    assert "no recorded field" in concluded(flagged(-0.1, tried(1.0), tried(1.0, "baseline"))).reason


def test_a_paired_run_too_wide_to_exclude_the_change_leaves_it_open():
    outcome = concluded(flagged(-0.03, tried(0.99, spread=20.0), tried(1.0, "baseline", spread=20.0)))
    assert outcome.outcome == "inconclusive" and "neither confirms nor excludes" in outcome.reason


def test_a_paired_run_without_an_answer_leaves_it_open():
    failed = read_trial("optimized", "c", "r", TargetResult(target="t", status="crashed", reason="it died"))
    assert concluded(flagged(-0.1, failed)).reason.endswith("it died")
    assert concluded(flagged(-0.1, tried(0.9, verdict="unstable", note="modes"))).outcome == "inconclusive"
    assert "not made" in concluded(flagged(-0.1)).reason


def test_a_slower_baseline_against_the_canary_is_confirmed_in_its_own_direction():
    assert concluded(flagged(-0.1, tried(0.9, "baseline"), baseline=True)).outcome == "regression"
    assert concluded(flagged(-0.1, tried(1.0, "baseline"), baseline=True)).outcome == "environment"


def test_a_small_difference_falls_for_one_target_and_stands_among_many():
    alone, among = tried(0.987, spread=2.0), tried(0.987, spread=2.0)
    correct([alone], 1)
    correct([among], 150)
    assert (alone.found, among.found) == ("slower", "neither")
    assert clearly_decided(tried(0.9), 150) and not clearly_decided(among, 150)


def read(ratio, **fields):
    result = TargetResult(target="t", status="ok", verdict=ratio.verdict, ratios={"b": ratio}, **fields)
    return read_trial("optimized", "c", "r", result)


def test_memory_that_every_process_agrees_on_is_certain():
    trial = read(weighed([10**6] * 3, [2 * 10**6] * 3))
    assert trial.found == "slower" and trial.p_slower is None and clearly_decided(trial, 9)
    correct([trial], 150)
    assert trial.found == "slower" and read(weighed([10**6] * 3, [10**6] * 3)).found == "neither"


STARTS = [math.exp(0.02 * one) for one in (-1.5, -1, -0.6, -0.2, 0, 0, 0.2, 0.6, 1, 1.5)]
OPEN = {
    "startup": started(STARTS, [1.027 * one for one in STARTS]),
    "memory": weighed([round(10**6 * one) for one in STARTS], [round(1.026 * 10**6 * one) for one in STARTS]),
    "energy": judged(0.994, "worse", claim="energy", low=0.991, high=0.997),
    "metric": judged(0.994, "worse", claim="metric", low=0.991, high=0.997),
}


@pytest.mark.parametrize("claim", OPEN)
def test_a_difference_that_its_own_interval_shows_stands_alone_and_not_among_many(claim):
    assert OPEN[claim].verdict == "worse" and OPEN[claim].high < 1
    alone, among = read(OPEN[claim]), read(OPEN[claim])
    assert alone.found == "undecided" and 1e-4 < alone.p_slower < 0.025 < alone.p_faster
    correct([alone], 1)
    correct([among], 150)
    assert (alone.found, among.found) == ("slower", "neither")


def test_a_start_up_that_takes_far_longer_is_confirmed_among_many():
    outcome = Outcome(target="t", outcome="new", trials=[read(started(STARTS, [1.3 * one for one in STARTS]))])
    assert clearly_decided(outcome.trials[0], 150)
    correct(outcome.trials, 150)
    conclude_paired(outcome, delta=0.01)
    assert outcome.outcome == "regression"


@pytest.mark.parametrize(("exact", "found"), [(True, "slower"), (False, "undecided")])
def test_memory_of_a_side_that_holds_nothing_is_certain_only_where_it_is_exact(exact, found):
    peak = Memory(peak_bytes=0, processes=5, exact=exact, counter="allocator")
    sides = dict.fromkeys(("baseline", "b"), VariantResult(memory=peak))
    assert read(RatioResult(verdict="worse", claim="memory"), variants=sides).found == found


def test_energy_of_too_few_processes_gives_no_answer():
    few = judged(0.5, "indicative", claim="energy", low=None, high=None).model_copy(update={"units": [-0.7]})
    assert read(few).found == "undecided" and read(few).p_slower is None


@pytest.mark.parametrize(
    ("trials", "word"),
    [
        ((1.0, 1.0), "same"),
        ((0.9, 1.0), "regression"),
        ((1.0, 0.9), "regression"),
        ((1.1, 1.0), "improvement"),
        ((1.1, 0.9), "regression"),
    ],
)
def test_a_pull_request_is_judged_by_both_sides(trials, word):
    outcome = Outcome(target="t", outcome="new", trials=[tried(trials[0]), tried(trials[1], "baseline")])
    correct(outcome.trials, 1)
    conclude_paired(outcome, delta=0.01)
    assert outcome.outcome == word


def test_a_pull_request_that_could_hide_a_loss_is_inconclusive():
    outcome = Outcome(target="t", outcome="new", trials=[tried(0.99, spread=10.0)])
    correct(outcome.trials, 1)
    conclude_paired(outcome, delta=0.01)
    assert outcome.outcome == "inconclusive" and "5.5 %" in outcome.reason
    nothing = Outcome(target="t", outcome="new")
    conclude_paired(nothing, delta=0.01)
    assert nothing.outcome == "inconclusive"


STILL = [0.001 * one for one in (-1, 1, 0, 1, -1, 0, 1, -1)]


def test_a_paired_run_ends_at_a_look_that_confirms_or_shows_that_nothing_changed():
    assert answered([unit - 0.1 for unit in STILL], 0.002, rows=150, delta=0.01)
    assert answered([unit + 0.1 for unit in STILL], 0.002, rows=150, delta=0.01)
    assert answered(STILL, 0.002, rows=1, delta=0.01)


def test_a_paired_run_goes_on_between_looks_and_while_it_is_open():
    assert not answered([unit - 0.1 for unit in STILL[:7]], 0.002, rows=1, delta=0.01)
    assert not answered([*(unit - 0.1 for unit in STILL), -0.1], 0.002, rows=1, delta=0.01)
    assert not answered([3 * unit - 0.01 for unit in STILL], 0.002, rows=150, delta=0.01)
    assert not answered([20 * unit for unit in STILL], 0.002, rows=1, delta=0.01)


def test_a_trial_that_ended_early_pays_for_its_looks():
    units = [unit - 0.1 for unit in STILL]
    result = TargetResult(target="t", status="ok", verdict="slower", ratios={"b": judged(0.9, "slower")})
    result.ratios["b"].units = units
    trial = read_trial("optimized", "c", "r", result)
    plain = interval(units)
    assert math.log(trial.high / trial.low) > 1.4 * 2 * plain.half_width
    assert trial.p_slower > one_sided_p(0.1, plain.sd / math.sqrt(8), 7, 0.002) and trial.p_faster == 1.0
