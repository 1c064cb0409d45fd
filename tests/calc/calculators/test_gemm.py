"""Matrix products on an H200, worked by hand."""

import pytest

from perfproof.calc.calculators.gemm import calculate


def test_a_large_product_is_bound_by_arithmetic(h200):
    answer = calculate(h200, 4096, 4096, 4096, measured_us=220.0)
    assert answer.get("flops") == 2 * 4096**3 and answer.get("bytes") == 3 * 2 * 4096**2
    assert answer.get("limit") == pytest.approx(2 * 4096**3 / 989e12)
    assert answer.get("intensity") == pytest.approx(4096 / 3)
    assert answer.get("measured_share") == pytest.approx(2 * 4096**3 / 989e12 / 220e-6)
    assert "bound by arithmetic" in answer.headline and "63 % of the limit" in answer.headline


def test_a_product_with_one_row_is_bound_by_memory(h200):
    answer = calculate(h200, 1, 4096, 4096)
    assert answer.get("limit") == pytest.approx(answer.get("bytes") / h200.bandwidth)
    assert answer.get("intensity") < 1 and "bound by memory" in answer.headline


def test_a_batch_multiplies_and_narrow_operands_give_a_wider_result(h200):
    one, four = (calculate(h200, 64, 64, 64, batch=batch, dtype="fp8") for batch in (1, 4))
    assert four.get("flops") == 4 * one.get("flops") and four.get("bytes") == 4 * one.get("bytes")
    assert one.get("bytes") == 2 * 64 * 64 + 2 * 64 * 64  # two operands of a byte, and a result of two
    assert calculate(h200, 64, 64, 64, dtype="fp8", out_dtype="fp8").get("bytes") == 3 * 64 * 64


def test_a_time_that_is_too_short_says_what_is_wrong(h200):
    assert "hardware" in calculate(h200, 4096, 4096, 4096, measured_us=10.0).warnings[0]
    assert "cache" in calculate(h200, 1, 4096, 4096, measured_us=1.0).warnings[0]
