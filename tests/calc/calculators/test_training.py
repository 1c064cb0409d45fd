"""Training, worked by hand."""

import pytest

from perfproof.calc.calculators.training import Ranks, calculate, states, token_flops
from perfproof.core.errors import UsageError


def test_operations_are_six_a_parameter_and_attention(shape):
    active = 8_030_261_248 - 128_256 * 4096
    expected = 6 * active + 6 * 4096 * 32 * 128 * 32
    assert token_flops(shape("llama-3.1-8b"), 4096) == pytest.approx(expected)


def test_mfu_is_useful_operations_over_what_the_gpus_can_do(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, dp=8, throughput=80_000, tokens=1e12)
    each = answer.get("flops_per_token")
    assert answer.get("mfu") == pytest.approx(80_000 * each / (8 * 989e12))
    assert answer.get("days") == pytest.approx(1e12 / 80_000 / 86_400)
    assert answer.get("gpu_hours") == pytest.approx(8 * 1e12 / 80_000 / 3600)


def test_recomputation_costs_a_third_more_operations_and_does_not_raise_mfu(shape, h200):
    plain, again = (calculate(shape("llama-3.1-8b"), h200, throughput=1e4, recompute=one) for one in (False, True))
    assert again.get("hardware_flops_per_token") == pytest.approx(plain.get("flops_per_token") * 8 / 6)
    assert again.get("mfu") == plain.get("mfu")
    assert again.get("activation_bytes_per_gpu") < plain.get("activation_bytes_per_gpu") / 8


def test_an_mfu_above_one_is_called_impossible(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, throughput=1e6)
    assert "impossible" in next(one.note for one in answer.values if one.name == "mfu")


def test_all_gpus_give_the_data_parallel_ranks(shape, h200):
    llama = shape("llama-3.1-8b")
    by_ranks = calculate(llama, h200, throughput=1e4, tp=2, dp=4, zero=1)
    assert calculate(llama, h200, throughput=1e4, tp=2, gpus=8, zero=1) == by_ranks
    with pytest.raises(UsageError, match="--dp 3"):
        calculate(llama, h200, dp=3, gpus=8)


def test_mfu_without_a_gpu_is_unknown(shape):
    assert calculate(shape("llama-3.1-8b"), None, throughput=1e4).get("mfu") is None


@pytest.mark.parametrize(("zero", "bytes_each"), [(0, 16), (1, 4 + 12 / 8), (2, 2 + 14 / 8), (3, 16 / 8)])
def test_zero_divides_optimiser_then_gradients_then_weights(zero, bytes_each):
    assert states(1e9, Ranks(1, 1, 8), zero) == pytest.approx(1e9 * bytes_each)


def test_tensor_and_pipeline_ranks_divide_everything():
    assert states(1e9, Ranks(2, 4, 1), 0) == 2e9


def test_checkpoints_by_young_and_what_is_left(shape):
    answer = calculate(shape("gpt2"), None, mtbf_hours=24, checkpoint_s=60, restart_s=300)
    interval = (2 * 60 * 86_400) ** 0.5
    assert answer.get("checkpoint_interval") == pytest.approx(interval)
    assert answer.get("goodput") == pytest.approx(1 - 60 / interval - (interval / 2 + 300) / 86_400)


def test_failures_lengthen_the_days_and_can_leave_no_end(shape, h200):
    plan = dict(tokens=1e12, mfu=0.4, dp=8, checkpoint_s=60, restart_s=300)
    often = calculate(shape("llama-3.1-8b"), h200, **plan, mtbf_hours=4)
    interval = (2 * 60 * 4 * 3600) ** 0.5
    share = 1 - 60 / interval - (interval / 2 + 300) / (4 * 3600)
    assert often.get("goodput") == pytest.approx(share)
    assert often.get("days_with_failures") == pytest.approx(often.get("days") / share)
    assert often.get("gpu_hours_with_failures") == pytest.approx(often.get("gpu_hours") / share)
    never = calculate(shape("llama-3.1-8b"), h200, **plan | dict(checkpoint_s=600), mtbf_hours=0.1)
    assert never.get("goodput") == 0 and never.get("days_with_failures") is None
    assert never.get("days") == often.get("days")
