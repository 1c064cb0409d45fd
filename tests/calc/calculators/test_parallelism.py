"""Plans that fit, and the front of those that no other beats."""

from dataclasses import replace

import pytest

from perfproof.calc.calculators.parallelism import Operating, calculate, flags, pareto, plans, weights_per_gpu
from perfproof.calc.step_time import Plan
from perfproof.calc.weighed_model import weigh
from perfproof.core.errors import UsageError


def test_every_plan_uses_all_gpus_and_divides_the_heads(shape):
    found = list(plans(shape("llama-3.1-8b"), 8, 4))
    assert {(one.tp, one.pp, one.dp) for one in found} == {
        (1, 1, 8), (1, 2, 4), (1, 4, 2), (1, 8, 1), (2, 1, 4), (2, 2, 2), (2, 4, 1), (4, 1, 2), (4, 2, 1),
    }  # fmt: skip


def test_experts_are_cut_or_spread(shape):
    found = list(plans(shape("mixtral-8x7b"), 4, 4))
    assert Plan(2, 1, 2, 1) in found and Plan(2, 1, 2, 4) in found
    assert all(one.ep in (1, one.tp * one.dp) for one in found)


def test_spread_experts_are_stored_once_for_all_replicas(shape):
    model = weigh(shape("mixtral-8x7b"))
    cut, spread = weights_per_gpu(model, Plan(1, 1, 4, 1)), weights_per_gpu(model, Plan(1, 1, 4, 4))
    assert cut == model.bytes.stored
    assert spread == pytest.approx(model.bytes.stored - 0.75 * model.bytes.experts)


def test_a_model_that_needs_two_gpus_is_never_put_on_one(shape, h200):
    answer = calculate(shape("llama-3.1-70b"), h200, gpus=2)
    assert answer.get("plans_that_fit") == 2  # TP 2 and PP 2, not DP 2
    assert all(row[0] * row[1] == 2 for row in answer.tables[0].rows)


def test_the_front_falls_for_a_user_as_it_rises_for_a_gpu(shape, h200):
    rows = calculate(shape("llama-3.1-8b"), h200, gpus=8).tables[0].rows
    gpu, user = [row[5] for row in rows], [row[6] for row in rows]
    assert gpu == sorted(gpu) and user == sorted(user, reverse=True) and len(rows) > 3


def test_a_point_that_another_beats_in_both_is_not_on_the_front():
    one, two, three = (Operating(Plan(), 1, gpu, user, 0, 0) for gpu, user in ((10, 10), (5, 20), (4, 15)))
    assert pareto([one, two, three]) == [two, one]


def test_an_slo_costs_throughput(shape, h200):
    free = calculate(shape("llama-3.1-70b"), h200)
    tight = calculate(shape("llama-3.1-70b"), h200, tpot_ms=10)
    assert 0 < tight.get("best_tokens_per_second_per_gpu") < free.get("best_tokens_per_second_per_gpu")
    assert tight.get("best_tokens_per_second_per_user") >= 100
    assert "--tensor-parallel-size" in tight.lines[0]


def test_an_slo_that_no_plan_meets_is_said(shape, h200):
    answer = calculate(shape("llama-3.1-70b"), h200, tpot_ms=0.1)
    assert answer.get("best_tokens_per_second_per_gpu") is None and "no plan meets" in answer.headline
    assert answer.lines == ()


def test_what_fits_in_no_plan_is_refused_with_its_size(shape, h200):
    with pytest.raises(UsageError, match="fits in no plan on 2 x H200: 406 GB"):
        calculate(shape("llama-3.1-405b"), h200, gpus=2)


def test_missing_communication_is_warned_of(shape, h200):
    assert "--link-gb-s" in calculate(shape("llama-3.1-8b"), replace(h200, link=None), gpus=2).warnings[0]


def test_the_options_of_an_engine_are_those_of_the_plan():
    assert flags(Plan(2, 1, 4, 8)).endswith(
        "--tensor-parallel-size 2 --pipeline-parallel-size 1 --data-parallel-size 4 --enable-expert-parallel"
    )
