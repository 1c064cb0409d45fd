import math

import pytest

from perfproof.stats.modes import Mode, disagree, rarest_mode_seen, split


def test_twelve_of_fourteen_and_two_of_fourteen_are_two_modes():
    slow, fast = [math.log(0.06)] * 2, [math.log(1.9)] * 12
    lower, upper = split(fast + slow, [0.003] * 28)
    assert (lower.launches, upper.launches) == (2, 12)
    assert (lower.ratio, upper.ratio) == (pytest.approx(0.06), pytest.approx(1.9))


def test_a_gap_of_two_per_cent_or_less_is_no_split():
    assert split([0.0, 0.0, 0.0199, 0.0199], [0.0]) == ()
    assert len(split([0.0, 0.0, 0.0201, 0.0201], [0.0])) == 2


def test_a_gap_within_six_standard_errors_is_no_split():
    assert split([0.0, 0.059], [0.01, 0.01, 0.5]) == ()
    assert len(split([0.0, 0.061], [0.01, 0.01, 0.5])) == 2


def test_errors_that_are_not_known_do_not_count():
    assert len(split([0.0, 0.03], [math.nan, 0.001, math.nan])) == 2
    assert len(split([0.0, 0.03], [math.nan])) == 2


def test_the_widest_gap_splits_and_groups_keep_their_means():
    lower, upper = split([0.30, 0.03, 0.0, 0.33], [0.001])
    assert (lower, upper) == (Mode(2, pytest.approx(0.015)), Mode(2, pytest.approx(0.315)))


@pytest.mark.parametrize("units", [[], [0.5]])
def test_one_unit_or_none_has_no_modes(units):
    assert split(units, [0.001]) == ()


@pytest.mark.parametrize(
    ("thetas", "different"),
    [((-0.1, 0.1), True), ((0.0, 0.1), True), ((-0.1, 0.001), True), ((0.01, 0.1), False), ((-0.001, 0.002), False)],
)
def test_groups_disagree_when_the_band_or_zero_lies_between_them(thetas, different):
    assert disagree([Mode(4, theta) for theta in thetas], beta=0.002) is different


def test_no_modes_do_not_disagree():
    assert not disagree((), beta=0.0)


@pytest.mark.parametrize(("n", "published"), [(5, 50), (8, 35), (10, 30), (20, 16), (40, 8)])
def test_the_rarest_mode_seen_is_the_published_one(n, published):
    assert round(100 * rarest_mode_seen(n)) == published
