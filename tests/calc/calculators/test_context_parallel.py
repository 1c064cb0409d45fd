"""Context parallel of Llama 3.1 8B on H200s, worked by hand."""

from dataclasses import replace

import pytest

from perfproof.calc.calculators.context_parallel import calculate
from perfproof.core.errors import UsageError


def test_a_ring_step_computes_one_block_while_the_next_travels(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, 131_072, 8)
    local = 131_072 / 8
    assert answer.get("attention_per_ring_step") == pytest.approx(2 * local**2 * 32 * 128 / 989e12)
    assert answer.get("transfer_per_ring_step") == pytest.approx(local * 2 * 8 * 128 * 2 / 450e9)
    assert answer.get("ring_is_hidden") is True
    assert answer.get("cache_per_gpu") == 131_072 * 131_072 / 8  # 128 KiB per token


def test_at_the_least_number_of_tokens_both_take_the_same(shape, h200):
    least = calculate(shape("llama-3.1-8b"), h200).get("least_local_tokens")
    assert least == pytest.approx(989e12 * 8 * 2 / (32 * 450e9))
    short = calculate(shape("llama-3.1-8b"), h200, int(least) * 8, 8)
    assert short.get("attention_per_ring_step") == pytest.approx(short.get("transfer_per_ring_step"), rel=0.01)
    assert calculate(shape("llama-3.1-8b"), h200, 4096, 8).get("ring_is_hidden") is False


def test_one_gpu_computes_the_whole_causal_attention(shape, h200):
    whole = calculate(shape("llama-3.1-8b"), h200, 8192, 1)
    body = 2 * (8_030_261_248 - 2 * 128_256 * 4096) * 8192
    assert whole.get("prefill") == pytest.approx((body + 2 * 8192**2 * 32 * 128 * 32) / 989e12)
    assert whole.get("transfer_per_ring_step") == 0


def test_what_is_not_counted_is_refused(shape, h200):
    with pytest.raises(UsageError, match="--link-gb-s"):
        calculate(shape("llama-3.1-8b"), replace(h200, link=None))
    with pytest.raises(UsageError, match="full softmax"):
        calculate(shape("gemma-3-27b"), h200)
    assert "multiple" in calculate(shape("llama-3.1-8b"), h200, 100_001).warnings[0]
