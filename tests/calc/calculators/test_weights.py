"""Bytes of weights by format."""

from dataclasses import replace

import pytest

from perfproof.calc.calculators.weights import calculate
from perfproof.core.errors import UsageError


def test_weights_in_16_bits_are_two_bytes_a_parameter(shape):
    answer = calculate(shape("llama-3.1-8b"), tp=2, pp=2)
    assert answer.get("weight_bytes") == 2 * 8_030_261_248
    assert answer.get("weight_bytes_per_gpu") == 2 * 8_030_261_248 / 4
    assert answer.get("bits_per_parameter") == 16


def test_quantised_matrices_leave_embeddings_in_16_bits(shape):
    """2 · 128,256 · 4,096 embedding and head and 65 · 4,096 norms in bf16, the rest in 4.125 bits."""
    wide = 2 * 128_256 * 4096 + 65 * 4096
    expected = wide * 2 + (8_030_261_248 - wide) * 4.125 / 8
    assert calculate(shape("llama-3.1-8b"), dtype="int4").get("weight_bytes") == pytest.approx(expected)


def test_the_format_of_the_file_is_the_default(shape):
    """gpt-oss stores experts in MXFP4, 4.25 bits, and the rest in bf16."""
    answer = calculate(shape("gpt-oss-20b"))
    experts = 24 * 32 * (3 * 2880 * 2880 + 3 * 2880)
    assert answer.get("weight_bytes") == pytest.approx((20_914_757_184 - experts) * 2 + experts * 4.25 / 8)


def test_experts_may_have_a_format_of_their_own(shape):
    mixed = calculate(shape("mixtral-8x7b"), dtype="bf16", expert_dtype="nvfp4").get("weight_bytes")
    experts = 32 * 8 * 3 * 4096 * 14_336
    assert mixed == pytest.approx((46_702_792_704 - experts) * 2 + experts * 4.5 / 8)


def test_the_index_of_a_checkpoint_is_shown_beside_the_formula(shape):
    answer = calculate(replace(shape("llama-3.1-8b"), stored_bytes=16_060_522_496))
    assert answer.get("checkpoint_bytes") == 16_060_522_496


def test_classes_add_up_to_all_parameters(shape):
    answer = calculate(shape("deepseek-v3"))
    assert sum(row[1] for row in answer.tables[0].rows) == answer.get("parameters")


def test_an_unknown_format_is_refused_with_the_list(shape):
    with pytest.raises(UsageError, match="choose fp32, bf16"):
        calculate(shape("llama-3.1-8b"), dtype="int3")
