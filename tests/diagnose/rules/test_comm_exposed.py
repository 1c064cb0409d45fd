"""Communication in the open: 300 of 1000 µs in each step, and what waiting for others takes off."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.comm_exposed import find
from perfproof.profile.nsys_tables import IN_GRAPHS, WHOLE_GRAPHS
from tests.diagnose.building import Program, evidence_of

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"


def rank(number, computes, comes, leaves):
    program = Program(rank=number)
    program.busy(0, computes, "gemm")
    program.busy(comes, leaves, NCCL, stream=20)
    return program


def test_what_no_computation_hides_is_the_share():
    finding = find(evidence_of(rank(0, 400, 300, 700), rank(1, 400, 300, 700)))
    assert finding.share == pytest.approx(0.30) and finding.confidence == "high"
    assert finding.evidence[0].values == {
        "exposed_seconds": pytest.approx(300e-6),
        "hidden_seconds": pytest.approx(100e-6),
    }


def test_one_rank_alone_is_less_certain():
    finding = find(evidence_of(rank(0, 400, 300, 900)))
    assert finding.share == pytest.approx(0.50) and finding.confidence == "medium"
    assert "only one rank" in finding.evidence[1].text


def test_waits_for_a_later_rank_belong_to_the_straggler():
    finding = find(evidence_of(rank(0, 400, 400, 700), rank(1, 550, 550, 700)))
    assert finding.share == pytest.approx(0.15)
    assert find(evidence_of(rank(0, 400, 400, 700), rank(1, 650, 650, 700))) is None


def test_hidden_communication_is_none():
    assert find(evidence_of(rank(0, 900, 100, 950), rank(1, 900, 100, 950))) is None


def test_a_program_without_communication_is_silent():
    program = Program()
    program.busy(0, 900, "gemm")
    assert find(program.evidence()) is None


def test_communication_may_be_inside_graphs_that_were_traced_as_a_whole():
    program = Program()
    program.busy(0, 900, "CUDA graph")
    program.events.unknown[IN_GRAPHS] = WHOLE_GRAPHS
    answer = find(program.evidence())
    assert isinstance(answer, Abstained) and "--cuda-graph-trace=node" in answer.missing


def test_without_a_trace_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
