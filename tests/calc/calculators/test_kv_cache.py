"""Bytes of the KV cache, against numbers worked by hand."""

import pytest

from perfproof.calc.calculators.kv_cache import calculate
from perfproof.core.errors import UsageError
from perfproof.core.units import GiB, KiB


@pytest.mark.parametrize(
    ("name", "bytes_a_token"),
    [
        ("llama-3.1-8b", 131_072),  # 2 · 32 · 8 · 128 · 2
        ("llama-3.1-70b", 320 * KiB),  # 2 · 80 · 8 · 128 · 2
        ("llama-3.1-405b", 504 * KiB),  # 2 · 126 · 8 · 128 · 2
        ("deepseek-v3", 70_272),  # 61 · (512 + 64) · 2
        ("qwen2.5-7b", 57_344),  # 2 · 28 · 4 · 128 · 2
        ("falcon-7b", 8_192),  # one kv head: 2 · 32 · 1 · 64 · 2
        ("llama-2-7b", 524_288),  # as many kv heads as heads: 2 · 32 · 32 · 128 · 2
    ],
)
def test_a_token_takes_what_its_kv_heads_take(shape, name, bytes_a_token):
    assert calculate(shape(name)).get("kv_bytes_per_token") == bytes_a_token


@pytest.mark.parametrize("tp", [8, 16])
def test_kv_heads_are_repeated_where_there_are_more_gpus_than_heads(shape, tp):
    answer = calculate(shape("llama-3.1-70b"), tp=tp)
    assert answer.get("kv_bytes_per_token_per_gpu") == 40 * KiB
    assert any("several GPUs" in text for text in answer.warnings) == (tp == 16)


def test_a_latent_is_not_divided_by_tensor_parallelism_but_by_stages(shape):
    deepseek = shape("deepseek-v3")
    answer = calculate(deepseek, tp=8)
    assert answer.get("kv_bytes_per_token_per_gpu") == 70_272
    assert any("not divided" in text for text in answer.warnings)
    assert calculate(deepseek, pp=4).get("kv_bytes_per_token_per_gpu") == 16 * 1152  # ceil(61/4) layers


def test_flash_mla_in_fp8_holds_scales_and_bf16_rope(shape):
    assert calculate(shape("deepseek-v3"), dtype="fp8_ds_mla").get("kv_bytes_per_token") == 61 * 656


def test_the_layout_of_latents_is_refused_for_other_attention(shape):
    with pytest.raises(UsageError, match="has none"):
        calculate(shape("llama-3.1-8b"), dtype="fp8_ds_mla")


def test_three_thousand_tokens_of_qwen_are_a_sixth_of_a_gibibyte(shape):
    answer = calculate(shape("qwen2.5-7b"), tokens=3072)
    assert answer.get("sequence_bytes") / GiB == pytest.approx(0.164, abs=0.0005)


def test_the_form_without_kv_heads_is_mha_and_says_so():
    answer = calculate(None, layers=80, hidden=8192, tokens=4096, batch=8, dtype="fp8")
    assert answer.get("total_bytes") == 42_949_672_960
    assert answer.get("total_bytes_with_8_kv_heads") == 5_368_709_120
    assert "no --kv-heads" in answer.warnings[0]


def test_the_same_form_with_eight_kv_heads_is_an_eighth():
    answer = calculate(None, layers=80, hidden=8192, kv_heads=8, tokens=4096, batch=8, dtype="fp8")
    assert answer.get("total_bytes") == 5_368_709_120
    assert "heads of 128 assumed" in answer.warnings[0]
    exact = calculate(None, layers=80, hidden=8192, heads=64, kv_heads=8, tokens=4096, batch=8, dtype="fp8")
    assert exact.get("total_bytes") == 5_368_709_120 and not exact.warnings


def test_mha_without_heads_is_divided_over_gpus():
    answer = calculate(None, layers=80, hidden=8192, tp=8)
    assert answer.get("kv_bytes_per_token_per_gpu") == answer.get("kv_bytes_per_token") / 8


def test_room_is_memory_less_the_reserve_and_overhead_is_added():
    answer = calculate(
        None,
        layers=80,
        hidden=8192,
        tokens=4096,
        batch=8,
        dtype="fp8",
        gpu_mem_gb=192,
        kv_overhead_frac=0.10,
        reserve_activations_gb=40,
    )
    assert answer.get("needed_with_overhead") == pytest.approx(42_949_672_960 * 1.1)
    assert (answer.get("room"), answer.get("fits")) == (152e9, True)
    small = calculate(None, layers=80, hidden=8192, tokens=4096, batch=8, dtype="fp8", gpu_mem_gb=40)
    assert small.get("fits") is False


def test_a_window_holds_no_more_tokens_than_it_is_wide(shape):
    mistral = shape("mistral-7b-v0.1")  # a window of 4096 in every layer
    assert calculate(mistral, tokens=4096).get("sequence_bytes") == 131_072 * 4096
    assert calculate(mistral, tokens=100_000).get("sequence_bytes") == 131_072 * 4096


def test_hybrid_layers_are_summed_by_kind(shape):
    """gpt-oss-20b: 12 full and 12 sliding layers of 2 · 8 · 64 · 2 = 2,048 bytes, a window of 128."""
    answer = calculate(shape("gpt-oss-20b"), tokens=10_000)
    assert answer.get("sequence_bytes") == 12 * 2048 * 10_000 + 12 * 2048 * 128
    assert {row[0]: row[1] for row in answer.tables[0].rows} == {"full": 12, "sliding": 12}


def test_linear_layers_keep_a_state_that_does_not_grow(shape):
    """Qwen3-Next: 36 layers of 32·128·128 fp32 and 3·8192 bf16 elements; 12 layers of 2·2·256·2 bytes per token."""
    state = 36 * (32 * 128 * 128 * 4 + 3 * 8192 * 2)
    one, many = (calculate(shape("qwen3-next-80b-a3b"), tokens=count) for count in (1, 1001))
    assert one.get("state_bytes_per_sequence") == state
    assert many.get("sequence_bytes") - one.get("sequence_bytes") == 1000 * 12 * 2048
    assert one.get("sequence_bytes") == state + 12 * 2048


def test_pages_round_up_and_their_expected_waste_is_half_a_page(shape):
    answer = calculate(shape("llama-3.1-8b"), tokens=17, block=16)
    assert answer.get("sequence_bytes_per_gpu") == 32 * 131_072
    assert answer.get("sequence_bytes") == 17 * 131_072
    assert answer.get("expected_page_waste") == 7.5 * 131_072


def test_scales_of_a_quantised_cache_are_counted(shape):
    """Two scales of 4 bytes for each of 8 heads in 32 layers."""
    plain = calculate(shape("llama-3.1-8b"), dtype="int8").get("kv_bytes_per_token")
    scaled = calculate(shape("llama-3.1-8b"), dtype="int8", kv_scale_bytes=4).get("kv_bytes_per_token")
    assert scaled - plain == 2 * 32 * 8 * 4


def test_the_heaviest_stage_decides_where_layers_differ(shape):
    """Gemma 3's first of two stages: 31 layers, 5 of them full."""
    answer = calculate(shape("gemma-3-27b"), tokens=100_000, pp=2, block=1)
    layer = 2 * 16 * 128 * 2
    assert answer.get("sequence_bytes_per_gpu") == 5 * layer * 100_000 + 26 * layer * 1024


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "which model"),
        (dict(layers=3), "which model"),
        (dict(layers=3, hidden=64, dtype="fp7"), "--dtype 'fp7' is unknown"),
        (dict(layers=3, hidden=64, dtype="int4"), "a format of weights"),
    ],
)
def test_what_is_missing_or_unknown_is_said(arguments, text):
    with pytest.raises(UsageError, match=text):
        calculate(None, **arguments)


def test_a_model_and_its_numbers_are_not_both_given(shape):
    with pytest.raises(UsageError, match="leave MODEL out"):
        calculate(shape("llama-3.1-8b"), layers=3)
