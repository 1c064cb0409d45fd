"""Two products that would be cheaper in the other order are found; where something lies between them they are not."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.product_order import find
from tests.diagnose.building import Program

LONG, WIDE = 8192, 64


def step(*between, left=(LONG, WIDE), right=(WIDE, LONG), last=(LONG, WIDE)):
    """Two products of 300 of 1000 µs each, and operators between that read the first one's answer."""
    program = Program()
    answer = (left[0], right[1])

    def operator(name, start, end, *dims):
        program.each_step(Kind.OPERATOR, name, start, end, args={"Input Dims": [list(one) for one in dims]})

    operator("aten::mm", 0, 300, left, right)
    for place, name in enumerate(between):
        operator(name, 310 + 10 * place, 315 + 10 * place, answer)
    operator("aten::mm", 400, 700, answer, last)
    return program.evidence()


def test_a_long_product_in_between_is_told_with_the_operations_that_the_other_order_has():
    found = find(step())
    assert found.share == pytest.approx(0.6 * (1 - 1 / 128), abs=0.01) and "128.0 times fewer" in found.evidence[0].text


@pytest.mark.parametrize("between", [["aten::view"], ["aten::matmul", "aten::expand", "aten::reshape"]])
def test_views_and_what_calls_the_product_lie_between_without_harm(between):
    assert find(step(*between)) is not None


@pytest.mark.parametrize("between", [["aten::softmax"], ["aten::masked_fill_", "aten::view"], ["aten::relu"]])
def test_whatever_else_reads_the_answer_forbids_it(between):
    assert find(step(*between)) is None


def test_the_cheaper_order_is_no_finding():
    assert find(step(left=(64, 512), right=(512, 64), last=(64, 2048))) is None
    assert find(step(left=(256, 256), right=(256, 256), last=(256, 256))) is None


def test_on_a_device_the_time_is_that_of_the_kernels():
    evidence = step()
    program = Program()
    program.events = evidence.traces[0].events
    for base in program.starts():
        program.kernel(base + 10, base + 210, "gemm", launched=base + 5)
        program.kernel(base + 410, base + 510, "gemm", launched=base + 405)
    assert find(program.evidence()).share == pytest.approx(0.3 * (1 - 1 / 128), abs=0.01)


def test_without_a_trace_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
