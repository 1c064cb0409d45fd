"""All-reduces against the measured bus: 16 MiB in 400 µs are 41.9 GB/s."""

import pytest

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.comm_slow import find
from tests.diagnose.building import Program, evidence_of

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
NUMBERS = 4 * 2**20
REACHED = NUMBERS * 4 / 400e-6  # two ranks: the bus carries the buffer once


def bus(rate, size=2**24):
    sizes = {"buffer_bytes": size}
    one = Ceiling(name="allreduce/bus", value=rate, unit="bytes/s", low=rate, high=rate, repeats=5, sizes=sizes)
    about = {"perfproof_version": "0", "fingerprint": "f", "kind": "gpu", "device": "cuda", "measured": "now"}
    return Ceilings(**about, ceilings=[one])


def rank(number, numbers=NUMBERS, name="allreduce"):
    program = Program(rank=number)
    args = {"Collective name": name, "dtype": "Float", "In msg nelems": numbers}
    program.busy(400, 800, NCCL, args=args)
    return program


def test_what_is_missing_to_the_measured_rate_is_the_share():
    finding = find(evidence_of(rank(0), rank(1), ceilings=bus(100e9)))
    assert finding.share == pytest.approx(0.4 * (1 - REACHED / 100e9))
    assert finding.evidence[0].values["bus_bytes_per_second"] == pytest.approx(REACHED)


def test_near_the_ceiling_it_is_silent():
    assert find(evidence_of(rank(0), rank(1), ceilings=bus(50e9))) is None


def test_without_communication_it_is_silent_whatever_is_known():
    program = Program()
    program.busy(0, 100, "gemm")
    assert find(program.evidence()) is None


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
