"""Conflicts over wavefronts, where shared memory is busy."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.bank_conflicts import CONFLICT, WAVEFRONT, find
from tests.diagnose.building import L1, counters


def shared(conflicts, busy):
    loads = {CONFLICT.format("ld"): conflicts, WAVEFRONT.format("ld"): 800.0}
    stores = {CONFLICT.format("st"): 0.0, WAVEFRONT.format("st"): 200.0}
    return counters(("transpose", 1.0, {**loads, **stores, L1: busy}))


def test_half_of_the_wavefronts():
    found = find(shared(conflicts=500.0, busy=0.7))
    assert found.share == pytest.approx(0.5) and "50 % of the wavefronts" in found.evidence[0].text


def test_few_conflicts_or_an_idle_unit_are_silent():
    assert find(shared(conflicts=90.0, busy=0.7)) is None
    assert find(shared(conflicts=500.0, busy=0.2)) is None


def test_without_the_counters_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {L1: 0.9}))), Abstained)
