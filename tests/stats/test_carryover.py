import math

import pytest

from perfproof.stats.carryover import carry_over_test

T_99 = 4.60409  # t(.995, 4)


def test_d_is_held_against_its_own_99_per_cent():
    found = carry_over_test([0.01, 0.02, 0.03, 0.04, 0.05], theta=0.0)
    assert found.d == pytest.approx(0.03)
    assert found.half_width == pytest.approx(T_99 * 0.0158114 / math.sqrt(5), rel=1e-4)
    assert found.bias_bound == pytest.approx((0.03 + found.half_width) / 2)
    assert not found.significant  # 3 % -/+ 3.3 %
    assert found.carry == 0.0


def test_a_sure_d_is_significant_and_widens_the_band():
    found = carry_over_test([0.028, 0.029, 0.03, 0.031, 0.032], theta=0.1)
    assert found.significant
    assert found.carry == found.bias_bound == pytest.approx((0.03 + T_99 * 0.00158114 / math.sqrt(5)) / 2, rel=1e-4)


def test_a_bias_below_two_per_cent_of_the_effect_is_negligible():
    d = [0.0098, 0.0099, 0.01, 0.0101, 0.0102]
    assert not carry_over_test(d, theta=0.26).significant  # 0.5 % of bias in 26 %
    assert not carry_over_test(d, theta=-0.26).significant
    assert carry_over_test(d, theta=0.24).significant


def test_the_other_direction_is_the_mirror():
    d = [0.028, 0.029, 0.03, 0.031, 0.032]
    mirrored = carry_over_test([-one for one in d], theta=-0.1)
    found = carry_over_test(d, theta=0.1)
    assert (mirrored.d, mirrored.significant, mirrored.bias_bound) == (-found.d, found.significant, found.bias_bound)


def test_below_five_processes_the_test_did_not_run():
    found = carry_over_test([0.5, None, 0.5, 0.5, 0.5], theta=0.0)
    assert (found.half_width, found.significant, found.bias_bound, found.carry) == (None, False, None, 0.0)
    assert carry_over_test([None], theta=0.0).d is None


@pytest.mark.parametrize(("d", "said"), [(0.051, True), (-0.051, True), (0.049, False)])
def test_more_than_five_per_cent_is_always_said(d, said):
    assert carry_over_test([d] * 5, theta=10.0).notable is said
