"""Operators that take many times what their bytes and operations need, with the reason where it is known."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.slow_operators import find
from tests.diagnose.building import Program
from tests.diagnose.shapes import H200, with_operator

VALUES = 24_000_000  # with places of 8 bytes they need 60 µs of 4.8 TB/s
HALF = "c10::BFloat16"


def called(name, dims, types, microseconds, strides=None, step=1000):
    """The operator's kernel takes so long in each step."""
    program = Program(step=step)
    args = {"Input Dims": dims, "Input type": types, "Input Strides": strides}
    for number, base in enumerate(program.starts(), 1):
        program.add(Kind.OPERATOR, name, base, base + 5, external=number, args=args)
        program.work(base + 10, base + 10 + microseconds, external=number)
    program.events.about = H200
    return program.evidence()


def added(places, microseconds, name="aten::index_add_"):
    dims = [[places], [], [VALUES], [VALUES], []]
    return called(name, dims, ["float", "Scalar", "long int", "float", "Scalar"], microseconds)


def multiplied(rows, inner, columns, microseconds):
    strides = [[inner, 1], [columns, 1]]
    return called("aten::mm", [[rows, inner], [inner, columns]], [HALF, HALF], microseconds, strides)


@pytest.mark.parametrize("name", ["aten::index_add_", "aten::scatter_add_", "aten::scatter_reduce_"])
def test_many_values_that_are_added_into_few_places_wait_for_each_other(name):
    found = find(added(8, 800, name))
    assert found.title == "many values are added into few places" and found.confidence == "high"
    assert "into 8 places" in found.evidence[0].text and "13 times" in found.evidence[0].text
    assert found.share == pytest.approx((800 - 1.4 * 60) / 1000, abs=0.01)


def test_many_places_and_additions_that_are_fast_are_fine():
    assert find(added(8, 150)) is None
    assert find(added(VALUES // 10, 800)) is None  # places all over a large tensor: each addition has its own


def test_sizes_that_no_fast_kernel_can_load_are_named_with_their_rows():
    found = find(multiplied(4096, 4099, 4099, 900))  # 138 GFLOP need 139 µs at 989 TFLOP/s
    assert found.title.startswith("16-bit matrix products") and "pad" in found.advice
    assert found.confidence == "high" and "rows of 4099" in found.evidence[0].text


def test_aligned_sizes_fast_ones_and_an_odd_number_of_rows_are_fine():
    assert find(multiplied(4096, 4096, 4096, 900)) is None  # slower than its need, and no reason that is known
    assert find(multiplied(4096, 4099, 4099, 400)) is None
    assert find(multiplied(4095, 4096, 4096, 900)) is None


def test_an_operator_that_is_far_too_slow_for_no_known_reason_is_medium_at_most():
    slow = with_operator("aten::mul", [[24_000_000], [24_000_000]], "float", 950, about=H200)  # needs 60 µs
    found = find(slow)
    assert found.title == "operators take many times as long as their bytes and operations need"
    assert found.confidence == "medium" and "16 times" in found.evidence[0].text and "strided_tensors" in found.parts


@pytest.mark.parametrize(
    ("dims", "microseconds", "calls"),
    [
        ([[24_000_000], [24_000_000]], 400, 1),  # 7 times: strides, or a type that is converted
        ([[1000], [1000]], 40, 20),  # a short call pays for its start
        ([[8192, 1], [1, 8192]], 400, 1),  # the answer is as large as both sides span
    ],
)
def test_what_healthy_programs_have_is_none(dims, microseconds, calls):
    assert find(with_operator("aten::mul", dims, "float", microseconds, calls=calls, about=H200)) is None


def test_without_shapes_or_the_card_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
    assert isinstance(find(with_operator("aten::mul", [[8], [8]], "float", 900)), Abstained)
