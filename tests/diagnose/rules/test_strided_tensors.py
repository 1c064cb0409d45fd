"""Large tensors whose neighbours lie apart are found by their strides; transposed, expanded and small ones are fine."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.strided_tensors import find
from tests.diagnose.building import Program

SHAPE = [4096, 4096]


def step(strides, shape=SHAPE, name="aten::mul_", length=600):
    program = Program()
    args = {"Input Dims": [shape, []], "Input Strides": [strides, []], "Input type": ["float", "double"]}
    program.each_step(Kind.OPERATOR, name, 0, 50, args=args)
    for base in program.starts():
        program.kernel(base + 20, base + 20 + length, "elementwise_kernel", launched=base + 10)
    return program.evidence()


def test_a_slice_of_the_last_dimension_is_found():
    found = find(step([36864, 9]))
    assert found.share == pytest.approx(0.6) and "strides [36864, 9]" in found.evidence[0].text


@pytest.mark.parametrize(
    "healthy",
    [
        {"strides": [4096, 1]},
        {"strides": [1, 4096]},  # transposed: a kernel may go through it in its own order
        {"strides": [0, 1]},
        {"strides": [0, 0]},
        {"strides": [900, 9], "shape": [100, 100]},
        {"strides": [36864, 9], "length": 100},
        {"strides": [36864, 9], "name": "aten::mm"},  # a product copies first, or is made for it
        {"strides": None},
    ],
)
def test_tensors_with_neighbours_side_by_side_and_small_ones_are_fine(healthy):
    assert find(step(**healthy)) is None


def test_without_a_device_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
