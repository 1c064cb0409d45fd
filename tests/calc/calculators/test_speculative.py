"""Speculative decoding, worked by hand."""

from dataclasses import replace

import pytest

from perfproof.calc.calculators.speculative import calculate, tokens_a_step
from perfproof.core.errors import UsageError


def test_tokens_a_step_hold_the_bonus_token():
    assert tokens_a_step([0.8] * 4) == pytest.approx((1 - 0.8**5) / 0.2)
    assert calculate(None, None, acceptance=0.8, drafts=4).get("tokens_per_step") == pytest.approx(3.36, abs=0.002)


@pytest.mark.parametrize(("rate", "tokens"), [(0.0, 1.0), (1.0, 5.0)])
def test_nothing_accepted_is_one_token_and_all_accepted_is_one_more_than_drafted(rate, tokens):
    assert calculate(None, None, acceptance=rate, drafts=4).get("tokens_per_step") == tokens


@pytest.mark.parametrize(
    ("more", "speed_up"),
    [
        (dict(draft_cost=0.05), 2.80),
        (dict(draft_cost=0.05, verify_cost=1.3), 2.24),
        (dict(draft_cost=0.2), 1.87),
        (dict(draft_cost=0.05, acceptance=0.6), 1.92),
    ],
)
def test_the_speed_up_is_tokens_over_drafts_and_check(more, speed_up):
    assert calculate(None, None, **more).get("speed_up") == pytest.approx(speed_up, abs=0.006)


def test_rates_by_position_are_multiplied_up():
    answer = calculate(None, None, per_position="0.9,0.5,0.5")
    assert answer.get("tokens_per_step") == pytest.approx(1 + 0.9 + 0.45 + 0.225)


def test_it_stops_paying_where_a_step_becomes_bound_by_compute(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, context=64)
    stop = answer.get("stops_paying_at_batch")
    before, after = (calculate(shape("llama-3.1-8b"), h200, context=64, batch=size) for size in (stop - 1, stop))
    assert before.get("speed_up") > 1 >= after.get("speed_up")
    assert calculate(shape("llama-3.1-8b"), h200, context=64, batch=1).get("verify_cost") == pytest.approx(1)
    assert calculate(shape("llama-3.1-8b"), h200, context=1, batch=1024).get("verify_cost") == pytest.approx(
        5, rel=0.01
    )


def test_one_sequence_of_a_mixture_pays_for_the_experts_of_its_drafts(shape, h200):
    """Five tokens hit 256·(1 − (1 − 8/256)^5) = 37.6 experts instead of 8."""
    answer = calculate(shape("deepseek-v3"), h200, context=1, batch=1)
    assert answer.get("verify_cost") > 2.5
    stops = next(one for one in answer.values if one.name == "stops_paying_at_batch")
    assert "pays again" in stops.note


def test_a_long_context_keeps_it_paying_and_no_batch_is_invented(shape, h200):
    assert calculate(shape("llama-3.1-8b"), h200, context=4096).get("stops_paying_at_batch") is None


def test_without_a_model_the_batch_is_said_to_be_unknown():
    assert "unknown" in calculate(None, None).warnings[0]


@pytest.mark.parametrize("written", ["0.5,x", "1.5", "-0.1"])
def test_rates_that_are_no_chances_are_refused(written):
    with pytest.raises(UsageError, match="--per-position"):
        calculate(None, None, per_position=written)


def test_half_a_roofline_is_refused(shape):
    with pytest.raises(UsageError, match="needs both"):
        calculate(shape("llama-3.1-8b"), None)


def test_what_was_assumed_about_the_model_is_said(shape, h200):
    guessed = replace(shape("llama-3.1-8b"), warnings=("assumed",))
    assert calculate(guessed, h200).warnings == ("assumed",)
