"""A rank that comes late: 200 µs of 1000, half of it beside computation."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.straggler import find
from tests.diagnose.building import Program, evidence_of

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"


def rank(number, *comes, computes=400, leaves=700):
    """`comes`: when it comes, in the steps in turn."""
    program = Program(rank=number)
    program.busy(0, computes, "gemm")
    for place, base in enumerate(program.starts()):
        at = base + comes[place % len(comes)]
        program.kernel(at, base + leaves, NCCL, launched=at - 50, stream=20)
    return program


def test_the_others_wait_for_the_rank_that_comes_last():
    finding = find(evidence_of(rank(0, 300), rank(1, 500)))
    assert finding.title == "the others wait for rank 1" and finding.confidence == "medium"
    assert finding.share == pytest.approx(0.10)  # from 400, where it has nothing to compute, to 500
    assert finding.evidence[0].values["skew_seconds"] == pytest.approx(200e-6)


def test_the_share_is_that_of_the_median_of_the_others():
    finding = find(evidence_of(rank(0, 400), rank(1, 450), rank(2, 650)))
    assert finding.share == pytest.approx((0.25 + 0.20) / 2) and finding.confidence == "high"


def test_it_leaves_exposed_communication_to_the_network():
    rules = [one.rule for one in diagnose(evidence_of(rank(0, 400), rank(1, 650))).findings]
    assert "straggler" in rules and "comm_exposed" not in rules


def test_ranks_that_take_turns_are_a_low_suspicion():
    finding = find(evidence_of(rank(0, 400, 600), rank(1, 600, 400)))
    assert finding.confidence == "low" and finding.title == "ranks take turns in coming late"


def test_ranks_that_come_together_are_silent():
    assert find(evidence_of(rank(0, 400), rank(1, 401))) is None


def test_ranks_that_never_meet_are_silent_and_ones_with_other_steps_abstain():
    alone = Program(rank=1)
    alone.busy(0, 400, "gemm")
    assert isinstance(find(evidence_of(rank(0, 400), alone)), Abstained)
    assert find(evidence_of(alone, alone)) is None


def test_a_single_rank_abstains_where_there_are_others():
    assert isinstance(find(Evidence()), Abstained)
    assert isinstance(find(evidence_of(rank(0, 400))), Abstained)
    alone = Program()
    alone.busy(0, 400, "gemm")
    assert find(alone.evidence()) is None
