"""How many experts are read, worked by hand."""

from dataclasses import replace

import pytest

from perfproof.calc.calculators.moe import calculate
from perfproof.core.errors import UsageError


@pytest.mark.parametrize(("tokens", "experts"), [(1, 8), (8, 57), (32, 163), (64, 222), (128, 252)])
def test_distinct_experts_of_256_where_each_token_picks_8(tokens, experts):
    assert round(calculate(None, tokens=tokens, experts=256, active=8).get("experts_read")) == experts


def test_the_model_gives_experts_and_bytes(shape):
    answer = calculate(shape("deepseek-v3"), tokens=64)
    assert round(answer.get("experts_read")) == 222
    assert answer.get("share_of_experts") == pytest.approx(0.869, abs=1e-3)
    one_token = calculate(shape("deepseek-v3"), tokens=1)
    assert one_token.get("weight_bytes_read") == pytest.approx(one_token.get("weight_bytes_active"))
    assert answer.get("understated") > 15


def test_what_was_assumed_about_the_model_is_said(shape):
    guessed = replace(shape("deepseek-v3"), warnings=("assumed",))
    assert "assumed" in calculate(guessed, tokens=64).warnings


def test_skew_reads_fewer_experts_and_overloads_a_rank():
    answer = calculate(None, tokens=8, experts=4, active=1, ep=2, histogram="7,1,1,1")
    even = calculate(None, tokens=8, experts=4, active=1, ep=2, histogram="1,1,1,1")
    assert answer.get("experts_read") == pytest.approx((1 - 0.3**8) + 3 * (1 - 0.9**8))
    assert answer.get("experts_read") < even.get("experts_read")
    assert answer.get("imbalance") == pytest.approx(1.6)  # 8 of 10 picks on one of two ranks
    assert even.get("imbalance") == 1.0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "which model"),
        (dict(experts=4, active=8), "more than 4 experts"),
        (dict(experts=8, active=2, ep=3), "does not divide"),
        (dict(experts=2, active=1, histogram="1,2,3"), "has 3 numbers"),
        (dict(experts=2, active=1, histogram="1,b"), "no list of numbers"),
        (dict(experts=2, active=1, histogram="0,0"), "none negative"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, text):
    with pytest.raises(UsageError, match=text):
        calculate(None, **arguments)


def test_a_dense_model_has_no_experts(shape):
    with pytest.raises(UsageError, match="has no experts"):
        calculate(shape("llama-3.1-8b"))
