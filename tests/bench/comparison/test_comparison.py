"""What the records of a comparison allow for."""

import math
from dataclasses import replace

import pytest

from perfproof.bench.comparison.comparison import BEGIN_SECONDS, Comparison
from perfproof.bench.comparison.verdict import verdict_of
from perfproof.bench.job import PLAIN
from perfproof.stats.units import interval
from tests.bench.comparison.recorded import job, record

# samples of other lengths


def known(call_seconds, device="cpu"):
    """A comparison of eight launches whose sides take so long, in samples of half a millisecond."""
    found = Comparison(replace(job(), device=device), PLAIN)
    for number in range(8):
        for slot in (1, -1):
            one = record(number, 0, slot, theta=math.log(call_seconds["baseline"] / call_seconds["optimized"]))
            one.call_seconds, one.sample_seconds = call_seconds | {"twin": call_seconds["baseline"]}, 0.5e-3
            found.records.append(one)
    return found


def test_an_interval_allows_for_samples_that_begin_cold_if_one_side_has_shorter_ones():
    found = known({"baseline": 4e-3, "optimized": 0.4e-3})
    begun = BEGIN_SECONDS * (1 / 0.4e-3 - 1 / 4e-3)
    assert found.bias("optimized") == pytest.approx(begun) and 0.01 < begun < 0.03
    plain = interval(found.units("optimized"), found.level)
    judged = verdict_of(found, "optimized")
    assert judged.verdict == "faster"
    assert judged.low == pytest.approx(math.exp(plain.low - begun))
    assert judged.high == pytest.approx(math.exp(plain.high + begun))


@pytest.mark.parametrize("seconds", [3e-6, 40e-6, 0.41e-3, 4e-3])
def test_sides_that_take_about_as_long_lose_nothing_by_it(seconds):
    assert known({"baseline": 1.01 * seconds, "optimized": seconds}).bias("optimized") < 3e-4


def test_short_calls_of_both_sides_fill_samples_of_the_same_length():
    assert known({"baseline": 60e-6, "optimized": 5e-6}).bias("optimized") < 1e-3


def test_a_device_has_a_clock_of_its_own_and_no_such_allowance():
    assert known({"baseline": 4e-3, "optimized": 0.4e-3}, device="cuda").bias("optimized") == 0.0
