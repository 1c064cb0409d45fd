"""Instructions on local memory."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.spills import ALL, BOTH, LOADS, REGISTERS, STORES, find
from tests.diagnose.building import counters


def test_a_tenth_of_the_instructions():
    found = find(counters(("attention", 1.0, {LOADS: 60.0, STORES: 40.0, ALL: 1000.0, REGISTERS: 255.0})))
    assert found.share == pytest.approx(0.1) and found.confidence == "medium"
    assert "255 registers a thread" in found.evidence[0].text and "estimate" in found.evidence[0].text


def test_the_sum_of_both_stands_in():
    assert find(counters(("kernel", 1.0, {BOTH: 50.0, ALL: 1000.0}))).share == pytest.approx(0.05)


def test_hardly_any_is_silent():
    assert find(counters(("kernel", 1.0, {LOADS: 5.0, STORES: 5.0, ALL: 1000.0}))) is None


def test_without_the_counters_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {ALL: 1000.0}))), Abstained)
