"""Many comparisons: exact p values, Holm and Benjamini–Hochberg on worked numbers, and their rates (seeded)."""

import math

import numpy
import pytest

from perfproof.stats.multiple import benjamini_hochberg, holm, one_sided_p, two_sided_p
from perfproof.stats.student import quantile


def test_a_one_sided_p_is_the_tail_of_t():
    assert one_sided_p(quantile(0.99, 7) * 0.002, 0.002, 7) == pytest.approx(0.01)
    assert one_sided_p(0.0, 0.002, 7) == pytest.approx(0.5)
    assert one_sided_p(-quantile(0.99, 7) * 0.002, 0.002, 7) == pytest.approx(0.99)


def test_the_systematic_band_has_to_be_cleared():
    assert one_sided_p(0.003, 0.001, 19, beta=0.002) == pytest.approx(one_sided_p(0.001, 0.001, 19))


def test_without_spread_the_band_alone_decides():
    assert one_sided_p(0.003, 0.0, 19, beta=0.002) == 0.0 and one_sided_p(0.002, 0.0, 19, beta=0.002) == 1.0
    assert one_sided_p(math.nan, 0.1, 19) == 1.0 and one_sided_p(1.0, 0.1, 0) == 1.0


def test_two_sided_is_twice_and_never_above_one():
    assert two_sided_p(-0.004, 0.002, 7) == pytest.approx(2 * one_sided_p(0.004, 0.002, 7))
    assert two_sided_p(0.0, 0.002, 7, beta=0.01) == 1.0


def test_holm_steps_down_and_stops_at_the_first_that_stands():
    assert holm([0.01, 0.04, 0.03, 0.005]) == [True, False, False, True]
    assert holm([0.04, 0.0125, 0.2, 0.001]) == [False, True, False, True]
    assert holm([]) == []


def test_what_was_never_tried_counts_as_part_of_the_family():
    assert holm([0.01]) == [True] and holm([0.01], total=150) == [False]
    assert holm([0.0003, 0.00033], total=150) == [True, True] and holm([0.0003, 0.0004], total=150) == [True, False]


def test_benjamini_hochberg_steps_up():
    assert benjamini_hochberg([0.01, 0.02, 0.03, 0.04, 0.9]) == [True, True, True, True, False]
    assert benjamini_hochberg([0.02, 0.04, 0.06, 0.08, 0.9]) == [False] * 5
    assert benjamini_hochberg([]) == []


def test_holm_marks_an_unchanged_target_in_at_most_five_runs_of_a_hundred():
    drawn = numpy.random.default_rng(1).uniform(size=(4000, 30))
    assert numpy.mean([any(holm(row)) for row in drawn.tolist()]) == pytest.approx(0.049, abs=0.012)


def test_at_most_a_twentieth_of_the_marks_is_wrong():
    rng, shares = numpy.random.default_rng(2), []
    for _ in range(1000):
        values = [*rng.uniform(size=30).tolist(), *rng.uniform(0, 0.002, size=20).tolist()]
        marks = benjamini_hochberg(values)
        shares.append(sum(marks[:30]) / max(1, sum(marks)))
    assert numpy.mean(shares) == pytest.approx(0.05 * 30 / 50, abs=0.008)


def test_a_paired_run_of_twenty_launches_confirms_one_per_cent_in_nine_of_ten():
    """T = 150, units that differ by 0.7 %: the published .92."""
    units = numpy.random.default_rng(3).normal(0.01, 0.0025 * math.sqrt(8), (3000, 20))
    errors = units.std(axis=1, ddof=1) / math.sqrt(20)
    found = [
        holm([one_sided_p(theta, error, 19, beta=0.001)], total=150)[0]
        for theta, error in zip(units.mean(axis=1).tolist(), errors.tolist(), strict=True)
    ]
    assert numpy.mean(found) == pytest.approx(0.92, abs=0.02)
