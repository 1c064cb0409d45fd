"""Warps that fit against warps that were active."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.imbalance import ACHIEVED, PER_SM, THEORETICAL, find
from tests.diagnose.building import DRAM, ISSUE, L2, SM, counters


@pytest.mark.parametrize("possible", [0.8, 80.0])  # with and without the sign of per cent
def test_half_of_what_fits_is_half_to_gain(possible):
    found = find(counters(("kernel", 1.0, {ACHIEVED: 0.4, THEORETICAL: possible, PER_SM: 5.0})))
    assert found.share == pytest.approx(0.5) and found.confidence == "medium"


def test_a_small_difference_or_a_single_part_of_a_wave_is_silent():
    assert find(counters(("kernel", 1.0, {ACHIEVED: 0.75, THEORETICAL: 0.8, PER_SM: 5.0}))) is None
    assert find(counters(("kernel", 1.0, {ACHIEVED: 0.1, THEORETICAL: 0.8, PER_SM: 0.5}))) is None


def test_a_kernel_of_equal_blocks_as_measured_on_an_h200_is_silent():
    assert find(counters(("elementwise", 1.0, {ACHIEVED: 0.85, THEORETICAL: 1.0, PER_SM: 124.1, DRAM: 0.3}))) is None


@pytest.mark.parametrize("busy", [DRAM, SM, L2, ISSUE])
def test_where_a_unit_is_busy_more_warps_would_not_help(busy):
    few = {ACHIEVED: 0.4, THEORETICAL: 0.8, PER_SM: 5.0}
    assert find(counters(("kernel", 1.0, few | {busy: 0.6}))) is None
    assert find(counters(("kernel", 1.0, few | {busy: 0.5}))).share == pytest.approx(0.5)


def test_without_the_launch_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {ACHIEVED: 0.4}))), Abstained)
