import math

import pytest

from perfproof.stats.isolation import isolation_test

UNITS = [0.01, 0.02, 0.03, 0.04, 0.05]  # mean 3 %, half width at 99 % 3.26 %


def test_a_difference_within_its_99_per_cent_is_no_alarm():
    found = isolation_test(UNITS)
    assert found.theta == pytest.approx(0.03)
    assert found.half_width == pytest.approx(4.60409 * 0.0158114 / math.sqrt(5), rel=1e-4)
    assert not found.alarm


@pytest.mark.parametrize("sign", [1, -1])
def test_a_sure_difference_alarms_whichever_way_it_goes(sign):
    assert isolation_test([sign * (unit + 0.01) for unit in UNITS]).alarm


def test_a_sure_difference_inside_the_band_is_no_alarm():
    assert isolation_test([0.001] * 5).alarm
    assert not isolation_test([0.001] * 5, beta=0.002).alarm


@pytest.mark.parametrize("sign", [1, -1])
def test_the_bound_is_the_far_end_of_the_interval(sign):
    found = isolation_test([sign * unit for unit in UNITS])
    assert found.bound == pytest.approx(0.03 + found.half_width)
    assert isolation_test([0.0] * 5).bound == 0.0


@pytest.mark.parametrize("units", [[], [0.5] * 4])
def test_a_test_that_did_not_run_has_no_bound(units):
    assert isolation_test(units).bound is None


def test_below_five_units_the_test_did_not_run():
    assert isolation_test([0.5] * 4) == isolation_test([0.5] * 4, beta=1.0)
    assert isolation_test([0.5] * 4).half_width is None
    assert isolation_test([]).theta is None
