"""Speed of light of prefill and decode. The numbers of Llama 3.1 8B at 4.8 TB/s and 989 TFLOP/s are worked by hand."""

from dataclasses import replace

import pytest

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.calculators.roofline import calculate
from perfproof.calc.parameters import count
from perfproof.calc.step_time import decode_step, prefill_step
from perfproof.calc.sweep_fit import Point
from perfproof.calc.weighed_model import weigh


@pytest.mark.parametrize(
    ("batch", "context", "milliseconds", "tokens", "kv_share"),
    [
        (1, 1024, 3.155, 317, 0.009),
        (32, 1024, 4.022, 7_957, 0.22),
        (128, 1024, 6.706, 19_087, 0.53),
        (256, 4096, 31.76, 8_060, 0.90),
    ],
)
def test_decode_reads_the_weights_once_and_the_cache_of_all(
    shape, h200, batch, context, milliseconds, tokens, kv_share
):
    answer = calculate(shape("llama-3.1-8b"), h200, None, batch=batch, context=context)
    assert answer.get("decode_step") == pytest.approx(milliseconds / 1e3, rel=1e-3)
    assert answer.get("decode_tokens_per_second") == pytest.approx(tokens, rel=1e-3)
    kv, weights = answer.get("decode_kv_bytes"), answer.get("decode_weight_bytes")
    assert kv / (kv + weights) == pytest.approx(kv_share, abs=0.01)


def test_prefill_needs_the_head_for_the_last_token_only(shape, h200):
    llama, embedding = shape("llama-3.1-8b"), 128_256 * 4096
    body = 2 * (8_030_261_248 - 2 * embedding) * 4096
    attention = 2 * 4096**2 * 32 * 128 * 32
    one = calculate(llama, h200, None, prompt=4096)
    assert one.get("prefill_flops") == body + attention + 2 * embedding
    every = calculate(llama, h200, None, prompt=4096, all_logits=True)
    assert every.get("prefill") == pytest.approx(66.6e-3, rel=1e-3)


def test_at_sixty_per_cent_of_the_rate_prefill_takes_longer_by_that(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, None, prompt=4096, all_logits=True, compute_share=0.6)
    assert answer.get("prefill") == pytest.approx(111e-3, rel=1e-3)


def test_a_cached_prefix_leaves_the_rest_and_its_look_back(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, None, prompt=4096, cached=3072)
    embedding = 128_256 * 4096
    body = 2 * (8_030_261_248 - 2 * embedding) * 1024
    assert answer.get("prefill_flops") == body + 2 * embedding + 2 * (4096**2 - 3072**2) * 32 * 128 * 32


def test_the_crossover_is_where_reading_weights_and_multiplying_take_as_long(shape, h200):
    assert calculate(shape("llama-3.1-8b"), h200, None).get("crossover_batch") == pytest.approx(206, abs=0.1)


def test_the_crossover_of_a_mixture_counts_all_experts_because_a_large_batch_reads_them(shape):
    """W·F/(2·P_act·BW), W without the input embedding: 46.57e9·2·989.4e12/(2·12.75e9·4.8e12) = 753 for Mixtral."""
    sheet = Accelerator("H200", 4.8e12, {"bf16": 989.4e12, "fp8": 1978.9e12}, 141e9)
    mixtral, embedding = shape("mixtral-8x7b"), 32_000 * 4096
    by_hand = 2 * (46_702_792_704 - embedding) * 989.4e12 / (2 * count(mixtral).active * 4.8e12)
    found = calculate(mixtral, sheet, None, tp=8).get("crossover_batch")
    assert found == pytest.approx(by_hand) == pytest.approx(753, abs=0.5)
    assert calculate(shape("deepseek-v3"), sheet, None, tp=8).get("crossover_batch") == pytest.approx(3778, abs=1)


def test_at_the_crossover_of_a_mixture_both_times_are_the_same(shape, h200):
    mixtral = weigh(shape("mixtral-8x7b"))
    step = decode_step(mixtral, h200, calculate(mixtral.shape, h200, None).get("crossover_batch"), 0)
    assert step.compute_seconds == pytest.approx(step.memory_seconds, rel=1e-6)


def test_experts_in_fp4_are_multiplied_at_the_rate_of_fp4(shape):
    """gpt-oss: everything but its experts is in bf16."""
    slow = Accelerator("x", 8e12, {"bf16": 2250e12})
    fast = replace(slow, flops={"bf16": 2250e12, "fp4": 9000e12})
    oss = weigh(shape("gpt-oss-120b"))
    routed = 2 * (oss.parameters.active - oss.parameters.always) * 8192
    saved = prefill_step(oss, slow, 8192).compute_seconds - prefill_step(oss, fast, 8192).compute_seconds
    assert saved == pytest.approx(routed / 2250e12 * 3 / 4)


def test_prefill_waits_for_two_all_reduces_a_layer_too(shape, h200):
    llama, size = shape("llama-3.1-8b"), 4096 * 4096 * 2
    talking = calculate(llama, h200, None, prompt=4096, tp=2)
    silent = calculate(llama, replace(h200, link=None), None, prompt=4096, tp=2)
    assert talking.get("prefill_communication") == pytest.approx(64 * size / 450e9)
    assert talking.get("prefill") - silent.get("prefill") == pytest.approx(64 * size / 450e9)
    assert silent.get("prefill_communication") is None
    assert calculate(llama, replace(h200, link=None), None).get("prefill_communication") == 0  # one GPU talks to none


def test_latent_decoding_becomes_bound_by_compute(shape, h200):
    """2·128·(2·512 + 64) operations for 576 elements of cache: 242 a byte, more than the 206 of the card in bf16."""
    slow = replace(h200, flops={"bf16": 989e12})
    answer = calculate(shape("deepseek-v3"), slow, None, batch=4096, context=32_768)
    assert "bound by compute" in next(one.note for one in answer.values if one.name == "decode_step")


def test_two_gpus_halve_the_bytes_and_add_two_all_reduces_a_layer(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, None, batch=64, tp=2)
    size = 64 * 4096 * 2
    assert answer.get("communication") == pytest.approx(64 * size / 450e9)  # ring and one-shot are equal for two
    silent = calculate(shape("llama-3.1-8b"), replace(h200, link=None), None, batch=64, tp=2)
    assert silent.get("communication") is None and "--link-gb-s" in silent.warnings[0]


def test_a_sweep_gives_back_the_shares_it_was_made_with(shape, h200):
    llama = shape("llama-3.1-8b")
    made = [
        Point(
            batch, 1024, calculate(llama, h200, None, batch=batch, memory_share=0.8, launch_us=200).get("decode_step")
        )
        for batch in (1, 8, 32, 128)
    ]
    answer = calculate(llama, h200, made)
    assert answer.get("fitted_memory_share") == pytest.approx(0.8, rel=1e-6)
    assert answer.get("fitted_launch") == pytest.approx(200e-6, rel=1e-6)
    assert answer.get("fitted_compute_share") is None
    assert answer.get("worst_residual") == pytest.approx(0, abs=1e-9)


def test_a_sweep_faster_than_light_is_not_believed(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, [Point(1, 1024, 0.001), Point(8, 1024, 0.0011)])
    assert any("faster than these rates allow" in text for text in answer.warnings)


def test_a_batch_whose_weights_and_cache_do_not_fit_is_marked_and_warned_of(shape, h200):
    card = replace(h200, memory=141e9, link=450e9)
    large, small = (
        calculate(shape("llama-3.1-70b"), card, None, batch=batch, context=4096, tp=2) for batch in (256, 8)
    )
    assert any("do not fit" in said for said in large.warnings) and not small.warnings
    bound = {row[0]: row[-1] for row in large.tables[0].rows}
    assert bound[8] == "memory" and bound[256] == "no room"
    unknown = calculate(shape("llama-3.1-70b"), replace(card, memory=None), None, batch=256, tp=2)
    assert {row[-1] for row in unknown.tables[0].rows} == {"memory"} and not unknown.warnings


def test_a_measured_rate_is_a_share_of_the_limit_and_an_impossible_one_is_warned_of(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, None, batch=32, measured=5_000)
    assert answer.get("measured_share") == pytest.approx(5_000 / 7_957, rel=1e-3)
    assert answer.headline.endswith("measured 5,000 tok/s, 63 % of the decode limit") and not answer.warnings
    assert any("above the limit" in said for said in calculate(shape("gpt2"), h200, None, measured=1e9).warnings)
