"""All-reduces against the measured bus: 16 MiB in 400 µs are 41.9 GB/s."""

import pytest

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.rules.comm_slow import find
from perfproof.profile.nsys_tables import IN_GRAPHS, WHOLE_GRAPHS
from tests.diagnose.building import Program, evidence_of

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
NUMBERS = 4 * 2**20
REACHED = NUMBERS * 4 / 400e-6  # two ranks: the bus carries the buffer once


def bus(rate, size=2**24):
    sizes = {"buffer_bytes": size}
    one = Ceiling(name="allreduce/bus", value=rate, unit="bytes/s", low=rate, high=rate, repeats=5, sizes=sizes)
    about = {"perfproof_version": "0", "fingerprint": "f", "kind": "gpu", "device": "cuda", "measured": "now"}
    return Ceilings(**about, ceilings=[one])


def rank(number, numbers=NUMBERS, name="allreduce", computes=0):
    """In an all-reduce from 400 to 800 µs of each step; computes up to `computes`."""
    program = Program(rank=number)
    if computes:
        program.busy(0, computes, "gemm", stream=3)
    args = {"Collective name": name, "dtype": "Float", "In msg nelems": numbers}
    program.busy(400, 800, NCCL, args=args)
    return program


def test_what_is_missing_to_the_measured_rate_is_the_share():
    finding = find(evidence_of(rank(0), rank(1), ceilings=bus(100e9)))
    assert finding.share == pytest.approx(0.4 * (1 - REACHED / 100e9))
    assert finding.evidence[0].values["bus_bytes_per_second"] == pytest.approx(REACHED)


def test_time_beside_computation_is_not_promised():
    assert find(evidence_of(rank(0, computes=900), rank(1, computes=900), ceilings=bus(100e9))) is None
    half = find(evidence_of(rank(0, computes=600), rank(1, computes=600), ceilings=bus(100e9)))
    assert half.share == pytest.approx(0.2 * (1 - REACHED / 100e9))


def test_what_faster_links_would_save_is_taken_off_what_hiding_would():
    found = {one.rule: one.share for one in diagnose(evidence_of(rank(0), rank(1), ceilings=bus(100e9))).findings}
    slow = 0.4 * (1 - REACHED / 100e9)
    assert found["comm_slow"] == pytest.approx(slow) and found["comm_exposed"] == pytest.approx(0.4 - slow)


def test_near_the_ceiling_it_is_silent():
    assert find(evidence_of(rank(0), rank(1), ceilings=bus(50e9))) is None


def test_without_communication_it_is_silent_whatever_is_known():
    program = Program()
    program.busy(0, 100, "gemm")
    assert find(program.evidence()) is None
    program.events.unknown[IN_GRAPHS] = WHOLE_GRAPHS
    assert isinstance(find(program.evidence()), Abstained)


@pytest.mark.parametrize(
    ("evidence", "missing"),
    [
        (evidence_of(rank(0), rank(1)), "perfproof peak"),
        (evidence_of(rank(0), ceilings=bus(100e9)), "two or more ranks"),
        (evidence_of(rank(0, name="allgather"), rank(1, name="allgather"), ceilings=bus(100e9)), "all-reduces with"),
        (evidence_of(rank(0, 100), rank(1, 100), ceilings=bus(100e9)), "4.0 MiB"),
    ],
)
def test_it_abstains_and_says_what_is_missing(evidence, missing):
    answer = find(evidence)
    assert isinstance(answer, Abstained) and missing in answer.missing
