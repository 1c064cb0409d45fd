"""What fits on a GPU, worked by hand."""

from dataclasses import replace

import pytest

from perfproof.calc.calculators.fit import activations, calculate
from perfproof.calc.weighed_model import weigh
from perfproof.core.errors import UsageError


def test_the_budget_is_what_weights_activations_and_reserve_leave(shape, h200):
    answer = calculate(shape("llama-3.1-8b"), h200, prompt=1024, output=256)
    work = 8192 * (6 * 4096 + 2 * 14_336) * 2 + 256 * 128_256 * 4
    budget = 0.9 * 141e9 - 2 * 8_030_261_248 - work - 2e9
    assert answer.get("activations") == work
    assert answer.get("kv_budget") == pytest.approx(budget)
    assert answer.get("sequences_mean") == budget // (1152 * 131_072)
    assert answer.get("sequences_worst") == budget // (1280 * 131_072)
    assert answer.get("fits") is True and not answer.warnings


def test_what_does_not_fit_is_said_with_the_number_of_gpus_that_would_do(shape, h200):
    answer = calculate(shape("llama-3.1-70b"), h200)
    assert (answer.get("fits"), answer.get("sequences_worst")) == (False, 0)
    assert "--tp 2" in answer.warnings[0]
    assert calculate(shape("llama-3.1-70b"), h200, tp=2).get("fits") is True


def test_the_exact_size_of_a_checkpoint_goes_before_the_formula_unless_another_format_is_asked_for(shape, h200):
    known = replace(shape("llama-3.1-8b"), stored_bytes=10_000_000_000)
    assert calculate(known, h200).get("weights_per_gpu") == 1e10
    assert calculate(known, h200, dtype="bf16").get("weights_per_gpu") == 2 * 8_030_261_248


def test_activations_are_divided_by_tensor_parallelism(shape):
    model = weigh(shape("llama-3.1-8b"))
    assert activations(model, 8192, 4) == activations(model, 8192, 1) / 4


def test_a_gpu_without_a_size_is_refused(shape, h200):
    with pytest.raises(UsageError, match="--gpu-mem-gb"):
        calculate(shape("llama-3.1-8b"), replace(h200, memory=None))
