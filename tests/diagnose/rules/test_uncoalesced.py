"""Bytes fetched and not used."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.uncoalesced import BYTES_USED, PER_REQUEST, SECTORS, TRAFFIC, find
from perfproof.profile.manifest.roles import metrics_of
from tests.diagnose.building import DRAM, counters

LOADED, STORED = (BYTES_USED.format(way) for way in ("ld", "st"))


def kernel(loads, stores, loaded=1.0, stored=1.0, **more):
    """Sectors that loads and stores touch, and how much of their bytes is used."""
    values = {SECTORS.format("ld"): loads, SECTORS.format("st"): stores, LOADED: loaded, STORED: stored}
    return counters(("kernel", 1.0, values | more))


def test_the_group_collects_all_that_the_rule_reads():
    names = {metric.format(way) for metric in (BYTES_USED, PER_REQUEST, SECTORS) for way in ("ld", "st")}
    for chip in ("GH100", "GB100", "GB110", "GB202"):
        assert names <= set(metrics_of(["COAL"], chip))


def test_a_healthy_reduction_that_stores_one_number_a_block_is_silent():
    assert find(kernel(loads=1e7, stores=1e3, stored=0.125, **{DRAM: 0.92})) is None


def test_without_sectors_stores_are_not_judged():
    assert find(counters(("reduction", 1.0, {LOADED: 1.0, STORED: 0.125}))) is None
    only_loads_counted = {LOADED: 1.0, STORED: 0.125, SECTORS.format("ld"): 1e7}
    assert find(counters(("reduction", 1.0, only_loads_counted))) is None


def test_a_copy_in_chunks_uses_an_eighth_of_the_bytes():
    """The baseline of ch07:coalesced_copy: every thread its own run of addresses, on both sides."""
    found = find(kernel(loads=8e7, stores=8e7, loaded=0.125, stored=0.125))
    assert found.share == pytest.approx(0.875) and found.confidence == "high"
    assert "loads and stores use 12 % of the bytes" in found.evidence[0].text
    alone = find(counters(("copy_chunks", 1.0, {LOADED: 0.125, STORED: 0.125})))
    assert alone.share == pytest.approx(0.875) and "loads use 12 %" in alone.evidence[0].text


def test_a_transpose_whose_stores_lie_apart_is_found_by_its_sectors():
    found = find(kernel(loads=1e6, stores=8e6, stored=0.125))
    assert found.share == pytest.approx(1 - (1e6 + 0.125 * 8e6) / 9e6)


def test_a_kernel_that_only_stores_is_judged_by_its_stores():
    found = find(kernel(loads=0.0, stores=8e6, loaded=0.0, stored=0.125))
    assert found.share == pytest.approx(0.875) and "stores use 12 %" in found.evidence[0].text


def test_sectors_alone_are_enough_only_beyond_the_widest_access():
    assert find(counters(("scatter", 1.0, {PER_REQUEST.format("ld"): 32.0}))).share == pytest.approx(0.5)
    assert find(counters(("vector", 1.0, {PER_REQUEST.format("ld"): 16.0}))) is None  # 16 bytes a thread need as many


def test_a_few_scattered_stores_do_not_make_many_loads_scattered():
    few = {SECTORS.format("ld"): 1e7, SECTORS.format("st"): 1e3}
    each = {PER_REQUEST.format("ld"): 4.0, PER_REQUEST.format("st"): 32.0}
    assert find(counters(("kernel", 1.0, few | each))) is None


def test_used_bytes_are_silent():
    assert find(kernel(loads=1e6, stores=1e6, stored=0.9)) is None
    assert find(kernel(loads=0.0, stores=0.0, loaded=0.0, stored=0.0)) is None  # neither loads nor stores


def test_without_the_counters_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {}))), Abstained)
    assert LOADED in find(counters(("kernel", 1.0, {STORED: 0.125}))).missing


@pytest.mark.parametrize(("traffic", "known"), [(0.01, False), (0.3, True)])
def test_a_kernel_that_hardly_touches_memory_is_not_slow_for_how_it_does(traffic, known):
    more = dict.fromkeys(TRAFFIC, traffic)
    found = find(kernel(loads=1e7, stores=1e7, loaded=0.125, stored=0.125, **more))
    assert (found is not None) == known
