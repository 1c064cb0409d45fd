"""Kernels that use nothing much, with the stall that most warps are in."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.rules.latency_bound import find
from tests.diagnose.building import DRAM, ISSUE, L2, SM, counters

WAITING = {DRAM: 0.2, SM: 0.1, L2: 0.25, ISSUE: 0.1}
STALLED = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"


def test_all_below_forty_per_cent_and_the_top_stall_is_named():
    stalls = {STALLED.format("long_scoreboard"): 12.5, STALLED.format("barrier"): 3.0}
    found = find(counters(("chase", 1.0, WAITING | stalls)))
    assert found.share == pytest.approx(0.75) and found.confidence == "high"
    assert "long_scoreboard, 12.5 warps" in found.evidence[0].text


def test_instructions_a_cycle_of_the_quick_preset_tell_the_same():
    quick = {DRAM: 0.2, SM: 0.1, "sm__inst_executed.avg.per_cycle_active": 0.8}  # 0.2 a scheduler
    assert find(counters(("kernel", 1.0, quick))).share == pytest.approx(0.8)


@pytest.mark.parametrize("more", [{DRAM: 0.5}, {ISSUE: 0.7}])
def test_a_busy_unit_or_a_busy_scheduler_is_something_else(more):
    assert find(counters(("kernel", 1.0, WAITING | more))) is None


def test_what_low_occupancy_explains_is_promised_there():
    few = {"sm__warps_active.avg.pct_of_peak_sustained_active": 0.1, "launch__occupancy_limit_registers": 1.0}
    found = {one.rule: one for one in diagnose(counters(("kernel", 1.0, WAITING | few))).findings}
    assert found["low_occupancy"].share == pytest.approx(0.75) and "latency_bound" not in found


def test_without_issue_rates_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {DRAM: 0.1, SM: 0.1}))), Abstained)


def test_what_uneven_blocks_explain_is_promised_there():
    uneven = {
        "sm__warps_active.avg.pct_of_peak_sustained_active": 0.4,
        "sm__maximum_warps_per_active_cycle_pct": 1.0,
        "launch__waves_per_multiprocessor": 200.0,
    }
    found = diagnose(counters(("kernel", 1.0, WAITING | uneven))).findings
    assert found[0].rule == "imbalance" and all(one.confidence == "low" for one in found[1:])
