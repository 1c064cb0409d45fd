import math

import pytest

from perfproof.stats.carryover import carry_over_of

T_97 = 3.29763  # t(.985, 4)


def test_d_is_the_mean_over_couples_with_its_97_per_cent():
    found = carry_over_of([0.01, 0.02, 0.03, 0.04, 0.05])
    assert found.d == pytest.approx(0.03)
    assert found.half_width == pytest.approx(T_97 * 0.0158114 / math.sqrt(5), rel=1e-4)


def test_without_a_couple_that_can_tell_there_is_no_d():
    found = carry_over_of([])
    assert (found.d, found.half_width, found.notable) == (None, None, False)


def test_below_five_couples_d_has_no_half_width():
    found = carry_over_of([0.5] * 4)
    assert (found.d, found.half_width) == (0.5, None)


@pytest.mark.parametrize(("d", "said"), [(0.051, True), (-0.051, True), (0.049, False)])
def test_more_than_five_per_cent_is_said(d, said):
    assert carry_over_of([d] * 5).notable is said
