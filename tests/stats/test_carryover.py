import pytest

from perfproof.stats.carryover import carry_over_of


def test_d_is_the_mean_over_couples():
    assert carry_over_of([0.01, 0.02, 0.03, 0.04, 0.05]).d == pytest.approx(0.03)


def test_without_a_couple_that_can_tell_there_is_no_d():
    found = carry_over_of([])
    assert found.d is None and not found.notable


@pytest.mark.parametrize(("d", "said"), [(0.051, True), (-0.051, True), (0.049, False)])
def test_more_than_five_per_cent_is_said(d, said):
    assert carry_over_of([d] * 5).notable is said
