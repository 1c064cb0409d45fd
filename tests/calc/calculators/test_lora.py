"""LoRA and QLoRA of Llama 3.1 8B, worked by hand."""

import pytest

from perfproof.calc.calculators.lora import calculate
from perfproof.core.errors import UsageError


def test_adapters_have_rank_times_inputs_and_outputs_per_matrix(shape):
    llama = shape("llama-3.1-8b")
    attention = 32 * 16 * (2 * (4096 + 4096) + 2 * (4096 + 1024))
    mlp = 32 * 16 * 3 * (4096 + 14_336)
    assert calculate(llama, None, 16, "attention").get("adapter_parameters") == attention
    every = calculate(llama, None, 16)
    assert every.get("adapter_parameters") == attention + mlp == 41_943_040
    assert every.get("trained_bytes") == 16 * 41_943_040


def test_four_bits_shrink_the_frozen_weights_and_need_a_workspace(shape):
    llama = shape("llama-3.1-8b")
    plain, small = calculate(llama, None), calculate(llama, None, dtype="nf4")
    embeddings, norms = 2 * 128_256 * 4096, 65 * 4096
    matrices = 8_030_261_248 - embeddings - norms
    assert small.get("frozen_bytes") == pytest.approx(matrices * 4.5 / 8 + 2 * (embeddings + norms))
    assert (plain.get("workspace_bytes"), small.get("workspace_bytes")) == (0, 2 * 4096 * 14_336)
    assert plain.get("full_fine_tuning") > 16 * 8e9 and plain.get("trained_bytes") == small.get("trained_bytes")


def test_experts_have_adapters_each(shape):
    mixtral = shape("mixtral-8x7b")
    attention = calculate(mixtral, None, 8, "attention").get("adapter_parameters")
    assert calculate(mixtral, None, 8).get("adapter_parameters") - attention == 32 * 8 * 8 * 3 * (4096 + 14_336)


def test_what_is_not_counted_is_refused(shape):
    with pytest.raises(UsageError, match="softmax"):
        calculate(shape("deepseek-v3"), None)
    with pytest.raises(UsageError, match="--targets"):
        calculate(shape("llama-3.1-8b"), None, targets="mlp")


def test_what_fits_is_said_of_the_card(shape, h200):
    notes = {one.name: one.note for one in calculate(shape("llama-3.1-70b"), h200, dtype="nf4").values}
    assert notes["memory"].startswith("fits") and notes["full_fine_tuning"].startswith("does not fit")
