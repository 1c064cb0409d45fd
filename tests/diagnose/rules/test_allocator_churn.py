"""Memory asked from the system in every step: by calls of the driver, by large blocks of the host, by pieces."""

from dataclasses import replace

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events, Kind, Total
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.allocator_churn import find
from tests.diagnose.building import US, Program

MIB = 2**20


def on_a_gpu(*calls):
    program = Program()
    program.busy(0, 600, "gemm")
    for name, start, end in calls:
        program.each_step(Kind.RUNTIME, name, start, end)
    return program.evidence()


def on_a_host(size, every=1):
    """An operator of 600 µs that gets a block of `size` at its start, in every (second) step."""
    program = Program()
    program.events.read("cpu.allocated_bytes", 0, MIB)
    for number, base in enumerate(program.starts()):
        program.add(Kind.OPERATOR, "aten::add", base + 100, base + 700)
        if number % every == 0:
            program.events.read("cpu.allocated_bytes", (base + 110) * US, MIB + size)
            program.events.read("cpu.allocated_bytes", (base + 800) * US, MIB)
    return program.evidence()


def test_the_share_is_idle_time_in_calls_that_get_and_release_device_memory():
    finding = find(on_a_gpu(("cudaMalloc", 700, 780), ("cudaFree", 500, 620)))
    assert finding.share == pytest.approx(0.10) and finding.confidence == "high"
    assert finding.evidence[0].values["calls_a_step"] == 2 and "200 µs per step" in finding.evidence[0].text


def test_calls_that_work_hides_cost_nothing():
    assert find(on_a_gpu(("cudaMalloc", 100, 180), ("cudaFree", 400, 600))) is None


def test_a_pool_of_the_driver_is_no_churn():
    assert find(on_a_gpu(("cudaMallocAsync", 700, 780), ("cudaFreeAsync", 800, 900))) is None
    assert find(on_a_gpu(("cudaMalloc", 700, 705))) is None


def test_idle_time_in_such_calls_is_promised_once():
    shares = {one.rule: one.share for one in diagnose(on_a_gpu(("cudaFree", 600, 990))).findings}
    assert shares["allocator_churn"] == pytest.approx(0.39) and shares["gpu_idle"] == pytest.approx(0.01)


def test_operators_that_get_large_blocks_of_the_host_in_every_step():
    finding = find(on_a_host(64 * MIB))
    assert finding.share == pytest.approx(0.60) and finding.confidence == "medium"


def test_small_blocks_and_those_of_some_steps_are_silent():
    assert find(on_a_host(16 * MIB)) is None
    assert find(on_a_host(64 * MIB, every=2)) is None


def snapshot(**values):
    events = Events("memory snapshot")
    events.totals = [Total(("GPU memory",), values, 0)]
    return Evidence(memory=(events,))


def in_pieces(*marks, device=0):
    """898 MiB of 3970 MiB free in pieces, as measured on an H200, with marks (name, µs) of a history of 1000 µs."""
    evidence = snapshot(fragmentation=0.43, free_bytes=898.0 * MIB, reserved_bytes=3970.0 * MIB)
    for name, when in (("snapshot", 0), *marks, ("snapshot", 1000)):
        evidence.memory[0].add(Kind.MARK, name, when * US, when * US, device=device)
    return evidence


def test_pieces_without_harm_are_a_suspicion():
    assert find(in_pieces()).confidence == "low"
    assert find(in_pieces(("segment_free", 100), ("segment_alloc", 200))).confidence == "low"  # the program's start
    assert find(in_pieces(("segment_alloc", 700), ("segment_free", 800))).confidence == "low"  # nothing came back
    assert find(in_pieces(("oom", 700), device=1)).confidence == "low"  # another card's


def test_a_request_that_failed_beside_free_pieces_is_certain():
    finding = find(in_pieces(("oom", 100)))
    assert finding.confidence == "high" and "1 requests failed" in finding.evidence[0].text


def test_segments_that_go_back_and_are_asked_for_again_in_the_steady_part_are_harm():
    finding = find(in_pieces(("segment_free", 700), ("segment_alloc", 800)))
    assert finding.confidence == "medium" and "1 segments were asked" in finding.evidence[0].text


def test_marked_steps_say_what_is_steady():
    evidence = in_pieces(("segment_free", 250), ("segment_alloc", 300))
    for number in range(5):
        evidence.memory[0].add(Kind.RANGE, f"step {number}", number * 200 * US, (number + 1) * 200 * US)
    assert find(evidence).confidence == "medium"


def test_a_card_that_is_nearly_full_is_harm():
    program = Program()
    program.busy(0, 900, "gemm")
    for size, confidence in ((4000 * MIB, "medium"), (8000 * MIB, "low")):
        program.events.about = {"deviceProperties": [{"id": 0, "totalGlobalMem": size}]}
        assert find(program.evidence(memory=in_pieces().memory)).confidence == confidence


def test_calls_for_memory_in_the_steady_steps_of_a_trace_beside_it_are_harm():
    hidden = on_a_gpu(("cudaMalloc", 100, 180))
    assert find(replace(hidden, memory=in_pieces().memory)).confidence == "medium"


def test_free_memory_in_many_pieces_is_said():
    finding = find(snapshot(fragmentation=0.8, free_bytes=500.0 * MIB, reserved_bytes=1000.0 * MIB))
    assert finding.share is None and finding.basis == "facts" and "80 %" in finding.evidence[0].text
    assert find(snapshot(fragmentation=0.8, free_bytes=50.0 * MIB, reserved_bytes=1000.0 * MIB)) is None
    assert find(snapshot(fragmentation=0.2, free_bytes=500.0 * MIB, reserved_bytes=1000.0 * MIB)) is None


def test_without_a_word_on_memory_it_abstains():
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::mm", 0, 900)
    assert isinstance(find(program.evidence()), Abstained)
    assert isinstance(find(Evidence()), Abstained)
