"""Goodput, concurrency and pools, worked by hand."""

import pytest

from perfproof.calc.calculators.goodput import calculate, wilson
from perfproof.calc.request_table import Request
from perfproof.core.errors import UsageError


def test_requests_within_every_limit_count_and_failed_ones_do_not():
    requests = [
        Request(0.1, 0.02, 1.0, 100),
        Request(0.6, 0.02, 1.0, 100),  # first token too late
        Request(0.1, 0.09, 1.0, 100),  # later tokens too slow
        Request(0.1, 0.02, 1.0, 100, ok=False),
    ]
    answer = calculate(requests, rate=8, ttft_ms=500, tpot_ms=50)
    assert answer.get("request_goodput") == 2.0
    assert answer.get("token_goodput") == 200.0
    assert answer.get("attained") == 0.25
    assert answer.get("concurrency") == 8.0  # Little, from the mean of 1 s
    assert answer.get("attained_low") < 0.25 < answer.get("attained_high")


def test_a_request_without_the_limited_value_is_not_good():
    answer = calculate([Request(ttft=0.1), Request(ttft=0.1, tpot=0.01)], rate=1, tpot_ms=50)
    assert answer.get("attained") == 0.5


def test_a_request_of_no_tokens_counts_as_none_and_one_that_does_not_say_as_output():
    requests = [Request(ttft=0.1, tokens=0), Request(ttft=0.1, tokens=100), Request(ttft=0.1)]
    assert calculate(requests, rate=3, ttft_ms=500, output=256).get("token_goodput") == pytest.approx(356)


def test_wilson_by_hand():
    assert wilson(90, 100) == pytest.approx((0.8256, 0.9448), abs=1e-4)
    assert wilson(0, 10)[0] == 0.0 and wilson(10, 10)[1] == pytest.approx(1.0)


def test_concurrency_is_rate_times_time_in_the_system():
    answer = calculate(None, rate=5, output=256, ttft_ms=500, tpot_ms=30)
    assert answer.get("concurrency") == pytest.approx(5 * (0.5 + 255 * 0.03))


def test_pools_by_hand():
    answer = calculate(None, rate=10, output=200, prefill_ms=150, tpot_ms=40, batch=32, busy=0.75)
    assert answer.get("prefill_gpus") == 2  # 10 · 0.15 / 0.75
    assert answer.get("decode_gpus") == 4  # 10 · 200 · 0.04 / (32 · 0.75) = 3.33


def test_the_transfer_of_a_cache_is_held_against_the_slack():
    fast, slow = (
        calculate(None, rate=1, ttft_ms=200, prefill_ms=150, kv_bytes=5e8, link_gb_s=speed) for speed in (50, 5)
    )
    notes = [next(one.note for one in answer.values if one.name == "kv_transfer") for answer in (fast, slow)]
    assert fast.get("kv_transfer") == 0.01
    assert notes[0].startswith("within") and notes[1].startswith("longer than")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (dict(requests=None), "nothing to compute"),
        (dict(requests=[Request(0.1)]), "needs limits"),
        (dict(requests=[Request(0.1)], attained=0.5, ttft_ms=1), "give one"),
        (dict(requests=None, kv_bytes=1.0), "--link-gb-s"),
    ],
)
def test_what_makes_no_sense_is_refused(given, text):
    with pytest.raises(UsageError, match=text):
        calculate(rate=1, **given)
