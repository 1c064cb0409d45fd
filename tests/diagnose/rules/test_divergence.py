"""Warps of which only some threads work."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.divergence import BRANCHES, PER_INSTRUCTION, find
from tests.diagnose.building import SM, counters

THREADS = PER_INSTRUCTION[0]


def test_eight_of_thirty_two_threads():
    found = find(counters(("branchy", 1.0, {BRANCHES: 0.6, THREADS: 8.0, SM: 0.7})))
    assert found.share == pytest.approx(0.75) and "8.0 of 32 threads" in found.evidence[0].text


def test_branches_alone_are_enough():
    assert find(counters(("branchy", 1.0, {BRANCHES: 0.6, SM: 0.7}))).share == pytest.approx(0.4)


def test_whole_warps_and_kernels_that_wait_for_memory_are_silent():
    assert find(counters(("kernel", 1.0, {BRANCHES: 0.95, THREADS: 31.0, SM: 0.9}))) is None
    assert find(counters(("kernel", 1.0, {BRANCHES: 0.5, THREADS: 8.0, SM: 0.2}))) is None


def test_without_the_counters_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {SM: 0.9}))), Abstained)
