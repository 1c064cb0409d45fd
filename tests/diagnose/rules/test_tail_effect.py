"""Waves that do not come out whole, and grids that do not fill the device."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.tail_effect import BLOCKS_PER_SM, GRID, WAVES, find
from tests.diagnose.building import DRAM, Program, counters

SMS = "launch__sm_count"


def test_one_and_a_bit_waves_take_the_time_of_two():
    found = find(counters(("gemm", 1.0, {WAVES: 1.2})))
    assert found.share == pytest.approx(0.4) and "1.20 waves take the time of 2: 60 %" in found.evidence[0].text


def test_thirty_three_blocks_on_a_hundred_and_thirty_two_multiprocessors():
    assert find(counters(("split", 1.0, {GRID: 33.0, "launch__sm_count": 132.0}))).share == pytest.approx(0.75)


def test_more_multiprocessors_do_not_make_memory_faster():
    assert find(counters(("split", 1.0, {GRID: 33.0, SMS: 132.0, DRAM: 0.9}))).share == pytest.approx(0.1)
    assert find(counters(("gemm", 1.0, {WAVES: 1.2, DRAM: 0.9}))).share == pytest.approx(0.1)


@pytest.mark.parametrize("blocks", [132.0, 200.0, 1000.0])
def test_below_one_wave_every_multiprocessor_with_a_block_is_at_work(blocks):
    assert find(counters(("kernel", 1.0, {WAVES: blocks / (132 * 8), GRID: blocks, SMS: 132.0}))) is None


def test_a_part_of_a_wave_of_unknown_blocks_tells_nothing():
    abstained = find(counters(("kernel", 1.0, {WAVES: 0.19})))
    assert isinstance(abstained, Abstained) and GRID in abstained.missing


@pytest.mark.parametrize("waves", [1.0, 1.8, 2.0, 4.1, 9.3])
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
