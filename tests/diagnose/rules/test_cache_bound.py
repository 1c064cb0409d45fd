"""A cache that is busier than DRAM."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.cache_bound import find
from tests.diagnose.building import DRAM, L1, L2, TENSOR, counters


def test_l2_above_dram():
    found = find(counters(("gather", 1.0, {L2: 0.7, DRAM: 0.3, TENSOR: 0.1, "lts__t_sector_hit_rate.pct": 0.9})))
    assert found.share == pytest.approx(0.7) and "L2 at 70 %" in found.evidence[0].text
    assert "hit rate of L2 90 %" in found.evidence[0].text


def test_the_busier_cache_is_named():
    assert "L1 at 80 %" in find(counters(("stencil", 1.0, {L2: 0.6, L1: 0.8, DRAM: 0.1}))).evidence[0].text


@pytest.mark.parametrize("values", [{L2: 0.7, DRAM: 0.8}, {L2: 0.5, DRAM: 0.2}, {L2: 0.65, DRAM: 0.2, TENSOR: 0.9}])
def test_dram_arithmetic_or_nothing_in_front_is_something_else(values):
    assert find(counters(("kernel", 1.0, values))) is None


def test_without_a_caches_counter_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {DRAM: 0.9}))), Abstained)
