"""From paired runs to outcomes: what Holm convicts, and what a flag was where nothing is convicted."""

import math

import pytest

from perfproof.core.documents import TargetResult
from perfproof.core.verification import Outcome, Screening
from perfproof.history.conviction import (
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
from tests.history.measured_runs import judged


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


def test_a_slower_baseline_against_the_canary_is_convicted_in_its_own_direction():
    assert concluded(flagged(-0.1, tried(0.9, "baseline"), baseline=True)).outcome == "regression"
    assert concluded(flagged(-0.1, tried(1.0, "baseline"), baseline=True)).outcome == "environment"


def test_a_small_difference_falls_for_one_target_and_stands_among_many():
    alone, among = tried(0.987, spread=2.0), tried(0.987, spread=2.0)
    correct([alone], 1)
    correct([among], 150)
    assert (alone.found, among.found) == ("slower", "neither")
    assert clearly_decided(tried(0.9), 150) and not clearly_decided(among, 150)


def test_memory_is_judged_by_its_own_verdict():
    result = TargetResult(
        target="t",
        status="ok",
        verdict="worse",
        ratios={"b": judged(0.5, "worse", claim="memory", low=None, high=None)},
    )
    trial = read_trial("optimized", "c", "r", result)
    assert trial.found == "slower" and trial.p_slower is None and clearly_decided(trial, 9)


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


def test_a_paired_run_ends_at_a_look_that_convicts_or_shows_that_nothing_changed():
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
