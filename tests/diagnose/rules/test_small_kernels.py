"""Many small kernels on a GPU, many small operators without one."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.rules.small_kernels import find
from tests.diagnose.building import Program


def kernels(small, large_until):
    """`small` kernels of 4 µs back to back, then one large kernel up to a moment of the step."""
    program = Program()
    for base in program.starts():
        for place in range(small):
            program.work(base + 4 * place, base + 4 * place + 4, "add")
        program.work(base + 4 * small, base + large_until, "gemm")
    return program


def operators(small, length, every, large=0):
    program = Program()
    for base in program.starts():
        for place in range(small):
            program.add(Kind.OPERATOR, "aten::add", base + every * place, base + every * place + length)
            program.add(Kind.OPERATOR, "aten::empty", base + every * place + 1, base + every * place + 2)
        program.add(Kind.OPERATOR, "aten::mm", base + every * small, base + every * small + large)
    return program


def test_fifty_kernels_of_four_microseconds_are_a_fifth_of_the_step():
    found = find(kernels(small=50, large_until=800).evidence())
    assert found.share == pytest.approx(0.2) and found.confidence == "medium"  # 200 of 800 busy µs: a quarter
    assert "50 x add" in found.evidence[1].text


def test_the_pauses_between_kernels_of_a_graph_would_go_with_them():
    program = Program()
    for base in program.starts():
        program.kernel(base, base + 4, "add", launched=base - 500, launcher="cudaGraphLaunch")
        for place in range(1, 200):
            program.work(base + 5 * place, base + 5 * place + 4, "add", correlation=program.correlation)
    found = find(program.evidence())
    assert found.share == pytest.approx(1.0) and found.confidence == "high"  # 200 x 4 µs and as many pauses of 1
    rest = {one.rule: one.share for one in diagnose(program.evidence()).findings}
    assert rest["gpu_idle"] == pytest.approx(0.0)


def test_many_small_ones_that_take_little_time_are_nothing():
    assert find(kernels(small=25, large_until=1000).evidence()) is None  # 100 of 1000 µs


def test_a_few_small_ones_are_no_chain_to_fuse():
    assert find(kernels(small=10, large_until=100).evidence()) is None


def test_communication_is_not_a_small_kernel():
    program = Program()
    for base in program.starts():
        for place in range(100):
            program.work(base + 5 * place, base + 5 * place + 3, "ncclDevKernel_AllReduce")
    assert isinstance(find(program.evidence()), Abstained)


def test_small_operators_count_with_the_interpreter_between_them():
    found = find(operators(small=60, length=4, every=10, large=300).evidence())
    # 60 x 4 µs, and 59 pauses of 6 µs between them: 594 of 1000 µs
    assert found.share == pytest.approx(0.594) and found.title == "many small operators"
    assert found.experiment == "perfproof run ch01:batched_gemm"


def test_a_program_of_large_operators_is_left_alone():
    assert find(operators(small=20, length=4, every=5, large=900).evidence()) is None


def test_a_trace_with_neither_makes_it_abstain():
    assert isinstance(find(Program().evidence()), Abstained)
