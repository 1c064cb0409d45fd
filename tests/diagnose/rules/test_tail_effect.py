"""Waves that do not come out whole, and grids that do not fill the device."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.tail_effect import BLOCKS_PER_SM, GRID, WAVES, find
from tests.diagnose.building import Program, counters


def test_one_and_a_bit_waves_take_the_time_of_two():
    found = find(counters(("gemm", 1.0, {WAVES: 1.2})))
    assert found.share == pytest.approx(0.4) and "1.20 waves take the time of 2: 60 %" in found.evidence[0].text


def test_thirty_three_blocks_on_a_hundred_and_thirty_two_multiprocessors():
    assert find(counters(("split", 1.0, {GRID: 33.0, "launch__sm_count": 132.0}))).share == pytest.approx(0.75)


@pytest.mark.parametrize("waves", [0.9, 1.8, 2.0, 4.1, 9.3])
def test_whole_or_many_waves_are_silent(waves):
    assert find(counters(("kernel", 1.0, {WAVES: waves}))) is None


def filled(blocks_per_sm, length, name="kernel"):
    program = Program()
    for base in program.starts():
        program.work(base, base + length, name, args={BLOCKS_PER_SM: blocks_per_sm})
    return program.evidence()


def test_a_trace_tells_grids_too_small_for_the_device():
    found = find(filled(0.25, 400))
    assert found.share == pytest.approx(0.3) and found.share_of == "step" and found.basis == "durations"


def test_full_grids_short_kernels_and_collectives_are_silent_in_a_trace():
    assert find(filled(3, 400)) is None
    assert find(filled(0.01, 4)) is None
    assert isinstance(find(filled(0.1, 400, "ncclDevKernel_AllReduce")), Abstained)


def test_a_trace_that_does_not_tell_grids_makes_it_abstain():
    program = Program()
    program.busy(0, 500)
    assert isinstance(find(program.evidence()), Abstained)
