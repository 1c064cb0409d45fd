"""Memory asked from the system in every step: by calls of the driver, by large blocks of the host, by pieces."""

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
    assert finding.evidence[0].values["calls_a_step"] == 2 and "200 µs a step" in finding.evidence[0].text


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
