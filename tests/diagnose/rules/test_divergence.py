"""Warps of which only some threads work."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.divergence import BRANCHES, PER_INSTRUCTION, find
from perfproof.diagnose.speed_of_light import FMA, PER_CYCLE
from tests.diagnose.building import ISSUE, SM, TENSOR, counters

THREADS = PER_INSTRUCTION[0]


@pytest.mark.parametrize("busy", [{ISSUE: 0.7}, {PER_CYCLE[0]: 2.8}, {FMA[0]: 0.7, ISSUE: 0.3}])
def test_eight_of_thirty_two_threads(busy):
    found = find(counters(("branchy", 1.0, {BRANCHES: 0.6, THREADS: 8.0} | busy)))
    assert found.share == pytest.approx(0.75) and "8.0 of 32 threads" in found.evidence[0].text


def test_branches_alone_are_enough():
    assert find(counters(("branchy", 1.0, {BRANCHES: 0.6, ISSUE: 0.7}))).share == pytest.approx(0.4)


def test_whole_warps_and_kernels_that_wait_for_memory_are_silent():
    assert find(counters(("kernel", 1.0, {BRANCHES: 0.95, THREADS: 31.0, ISSUE: 0.9}))) is None
    assert find(counters(("kernel", 1.0, {BRANCHES: 0.5, THREADS: 8.0, ISSUE: 0.2}))) is None


def test_a_product_that_one_elected_thread_starts_is_silent():
    busy = {TENSOR: 0.88, SM: 0.88, ISSUE: 0.1}
    assert find(counters(("gemm", 1.0, {BRANCHES: 0.9, THREADS: 10.0} | busy))) is None


def test_without_the_counters_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {ISSUE: 0.9}))), Abstained)


def test_neither_the_tensor_pipe_nor_the_whole_multiprocessor_stands_in_for_issue():
    abstained = find(counters(("kernel", 1.0, {THREADS: 8.0, TENSOR: 0.9, SM: 0.9})))
    assert isinstance(abstained, Abstained) and "smsp__issue_active" in abstained.missing
