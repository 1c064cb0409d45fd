"""Bytes fetched and not used."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.uncoalesced import LOADED, SECTORS, STORED, find
from tests.diagnose.building import counters


def test_an_eighth_of_the_bytes_used():
    found = find(counters(("transpose", 1.0, {LOADED: 1.0, STORED: 0.125})))
    assert found.share == pytest.approx(0.875) and "stores use 12 %" in found.evidence[0].text


def test_sectors_alone_are_enough_only_beyond_the_widest_access():
    assert find(counters(("scatter", 1.0, {SECTORS.format("ld"): 32.0}))).share == pytest.approx(0.5)
    assert find(counters(("vector", 1.0, {SECTORS.format("ld"): 16.0}))) is None  # 16 bytes a thread need as many


def test_used_bytes_are_silent():
    assert find(counters(("copy", 1.0, {LOADED: 1.0, STORED: 0.9}))) is None


def test_without_the_counters_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {}))), Abstained)
