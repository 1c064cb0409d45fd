"""What the tests of calculators share: shipped shapes, and the rates of an H200 in round numbers."""

import pytest

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.shipped_shapes import shipped_shape


@pytest.fixture
def shape():
    return shipped_shape


@pytest.fixture
def h200():
    """4.8 TB/s, 989 TFLOP/s in bf16, 141 GB, 450 GB/s to its neighbours without latency."""
    return Accelerator("H200", 4.8e12, {"bf16": 989e12, "fp8": 1979e12}, 141e9, link=450e9, source="test")
