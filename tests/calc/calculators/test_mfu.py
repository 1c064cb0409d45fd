"""MFU and HFU of Llama 3.1 8B, worked by hand."""

import pytest

from perfproof.calc.calculators.mfu import calculate
from perfproof.core.errors import UsageError

MATRICES = 8_030_261_248 - 128_256 * 4096  # without the input embedding
ATTENTION = 2 * 4096 * 32 * 128 * 32  # forward, per token: 2·S·a·d·L


def test_model_operations_are_six_per_parameter_and_three_times_the_attention(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, 8000.0)
    useful = 6 * MATRICES + 3 * ATTENTION
    assert answer.get("model_flops_per_token") == pytest.approx(useful)
    assert answer.get("mfu") == answer.get("hfu") == pytest.approx(8000 * useful / 989e12)


def test_recomputation_raises_hfu_and_leaves_mfu(shape, h200):
    llama = shape("llama-3.1-8b")
    none, some, full = (calculate(llama, h200, 8000.0, recompute=way) for way in ("none", "selective", "full"))
    assert none.get("mfu") == some.get("mfu") == full.get("mfu")
    assert some.get("repeated_flops_per_token") == pytest.approx(ATTENTION)
    assert full.get("hfu") / full.get("mfu") == pytest.approx(4 / 3)  # one forward more beside one forward and two


def test_more_gpus_lower_both_and_more_than_all_is_said(shape, h200):
    llama = shape("llama-3.1-8b")
    assert calculate(llama, h200, 8000.0, 2).get("mfu") == pytest.approx(calculate(llama, h200, 8000.0).get("mfu") / 2)
    assert "wrong" in calculate(llama, h200, 80_000.0).warnings[0]
    with pytest.raises(UsageError, match="selective"):
        calculate(llama, h200, 1.0, recompute="some")
