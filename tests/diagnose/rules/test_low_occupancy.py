"""Few warps are a fault only where latency is what the kernel waits for."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.low_occupancy import find
from tests.diagnose.building import DRAM, ISSUE, SM, counters

ACHIEVED = "sm__warps_active.avg.pct_of_peak_sustained_active"
FEW = {
    DRAM: 0.2,
    SM: 0.3,
    ISSUE: 0.2,
    ACHIEVED: 0.12,
    "launch__occupancy_limit_registers": 1.0,
    "launch__occupancy_limit_shared_mem": 4.0,
}


def test_the_tightest_limit_is_named():
    found = find(counters(("kernel", 1.0, FEW)))
    assert found.share == pytest.approx(0.7) and "registers allow 1 blocks" in found.evidence[0].text


def test_a_matrix_product_runs_well_with_few_warps():
    assert find(counters(("gemm", 1.0, FEW | {SM: 0.8}))) is None


def test_enough_warps_are_no_fault():
    assert find(counters(("kernel", 1.0, FEW | {ACHIEVED: 0.5}))) is None


def test_without_a_limit_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {DRAM: 0.1, SM: 0.1, ISSUE: 0.1, ACHIEVED: 0.1}))), Abstained)
