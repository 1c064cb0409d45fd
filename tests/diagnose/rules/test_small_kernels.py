"""Many small kernels on a GPU, many small operators without one."""

from dataclasses import replace

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events, Kind, Total
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.small_kernels import find
from tests.diagnose.building import US, Program


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
    assert "gpu_idle" in diagnose(program.evidence()).silent  # nothing of it is left


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


def tree(*kernels):
    """Sums of (name, launches, microseconds in all), as Proton's reader gives them."""
    events = Events("proton")
    events.totals = [Total(("layer", name), {"count": n, "time_ns": us * US}) for name, n, us in kernels]
    events.totals.append(Total(("layer",), {"count": 0, "time_ns": 0}))
    return Evidence(tables=(("p.hatchet", events),))


def test_a_tree_of_sums_tells_it_by_the_mean_of_each_kernel_and_never_with_certainty():
    found = find(tree(("add", 100, 300), ("gemm", 10, 700)))  # 3 µs each, and 70 µs each
    assert found.share == pytest.approx(0.3) and found.share_of == "profiled kernels" and found.confidence == "medium"
    assert "gaps" in found.evidence[0].text and "100 x add, 3.00 µs each" in found.evidence[1].text
    assert find(tree(("add", 100, 300))).confidence == "medium"


@pytest.mark.parametrize(
    "kernels",
    [
        [("rmsnorm_row", 20, 1334)],  # as measured on an H200: 67 µs each
        [("add", 100, 300), ("gemm", 10, 70_000)],
        [("add", 100, 300), ("gemm", 200, 1400)],
        [("add", 10, 30)],
    ],
)
def test_a_tree_of_large_kernels_or_of_few_launches_is_left_alone(kernels):
    assert find(tree(*kernels)) is None


def test_a_tree_that_was_never_launched_makes_it_abstain():
    assert isinstance(find(tree()), Abstained)
    assert isinstance(find(tree(("ncclDevKernel_AllReduce", 100, 300))), Abstained)


def test_where_there_is_a_timeline_it_counts_and_not_the_tree():
    large = kernels(small=0, large_until=900).evidence()
    assert find(replace(large, tables=tree(("add", 100, 300)).tables)) is None


def test_a_trace_with_neither_makes_it_abstain():
    assert isinstance(find(Program().evidence()), Abstained)
