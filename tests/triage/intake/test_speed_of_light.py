"""Promises that the hardware cannot keep, with figures worked by hand from the data sheet.

Llama 3.1 8B in bf16 weighs 16.06 GB; an H200 reads 4.8 TB/s: all weights but the embedding in 3.1 ms.
"""

import json

import pytest

from perfproof.calc import shipped_shapes
from perfproof.core.intake import Intake
from perfproof.triage.intake.speed_of_light import find_limits


def limits(tmp_path, kind="inference", gpu="NVIDIA H200", **sections):
    goal = dict(summary="s", kind=kind, kpi="k")
    work = {"model": "llama-3.1-8b", **sections.pop("workload", {})}
    machine = {"gpu": gpu, "gpus_per_node": 1, **sections.pop("hardware", {})}
    return find_limits(Intake.model_validate(dict(goal=goal, workload=work, hardware=machine, **sections)), tmp_path)


def test_a_token_faster_than_its_weights_can_be_read(tmp_path):
    (problem,), _ = limits(tmp_path, slos=dict(tpot_p50="3.0 ms"))
    assert problem.field == "slos.tpot_p50" and "3.13 ms on H200 SXM" in problem.text
    assert limits(tmp_path, slos=dict(tpot_p50="3.2 ms"))[0] == []


def test_a_prompt_faster_than_its_arithmetic(tmp_path):
    """2 x 7.5e9 parameters x 8192 tokens and attention at 989.4 TFLOP/s: more than 124 ms."""
    (problem,), _ = limits(tmp_path, workload=dict(prompt_tokens=8192), slos=dict(ttft_p99="100 ms"))
    assert problem.field == "slos.ttft_p99" and "no engine" in problem.text
    assert limits(tmp_path, workload=dict(prompt_tokens=8192), slos=dict(ttft_p99="200 ms"))[0] == []


def test_a_baseline_that_is_too_good_was_measured_wrongly(tmp_path):
    (problem,), _ = limits(tmp_path, workload=dict(batch=1), baseline=dict(throughput="400 tokens/s"))
    assert problem.field == "baseline.throughput" and "measured wrongly" in problem.text


def test_more_gpus_give_more_throughput_and_with_tp_1_no_shorter_token(tmp_path):
    eight = dict(hardware=dict(gpus_per_node=8), workload=dict(batch=1), software=dict(tensor_parallel=1))
    assert limits(tmp_path, baseline=dict(throughput="400 tokens/s"), **eight)[0] == []
    (problem,), _ = limits(tmp_path, slos=dict(tpot_p50="2 ms"), **eight)
    assert "3.13 ms" in problem.text


def test_where_tp_is_empty_all_gpus_may_share_a_token(tmp_path):
    """141 GB less the embedding over 8 x 3.35 TB/s: 5.2 ms."""
    form = dict(
        gpu="H100 SXM", workload=dict(model="llama-3.1-70b", prompt_tokens=1024), hardware=dict(gpus_per_node=8)
    )
    slos = dict(tpot_p50="15 ms", ttft_p50="100 ms", latency_p50="200 ms")
    assert limits(tmp_path, slos=slos, **form) == ([], [])
    (problem,), _ = limits(tmp_path, slos=dict(tpot_p50="5 ms"), **form)
    assert "at least 5.2" in problem.text and "best plan that the form allows" in problem.text
    (problem,), _ = limits(tmp_path, slos=dict(tpot_p50="15 ms"), software=dict(tensor_parallel=2), **form)
    assert problem.field == "slos.tpot_p50" and "at least 20.8 ms" in problem.text


def test_training_divides_weights_over_data_parallel_ranks(tmp_path):
    form = dict(kind="training", gpu="H100 SXM", workload=dict(model="llama-3.1-70b"))
    spread = dict(hardware=dict(gpus_per_node=8, nodes=8), software=dict(data_parallel=64))
    assert limits(tmp_path, **form, **spread) == ([], [])
    (problem,), _ = limits(tmp_path, **form)
    assert problem.severity == "error" and "141 GB (131 GiB) on one GPU" in problem.text


def test_experts_are_spread_over_data_parallel_ranks(tmp_path):
    """673 GB over 8 GPUs of 141 GB; a step reads a GPU's share of the experts, not all that its tokens picked."""
    form = dict(workload=dict(model="deepseek-v3", batch=32), hardware=dict(gpus_per_node=8))
    plan = dict(tensor_parallel=1, data_parallel=8)
    assert limits(tmp_path, software=plan, slos=dict(tpot_p50="30 ms"), **form) == ([], [])
    (problem,), _ = limits(tmp_path, software=plan, gpu="H100 SXM", **form)
    assert "cannot hold the weights: 84" in problem.text and "on each of 8 GPUs" in problem.text


def test_replicas_that_cannot_hold_dense_weights_are_doubted_and_no_error(tmp_path):
    """A serving engine would not divide them over replicas, but one could."""
    form = dict(gpu="H100 SXM", workload=dict(model="llama-3.1-70b"), hardware=dict(gpus_per_node=8))
    for plan in (dict(tensor_parallel=1, data_parallel=8), dict(data_parallel=8), dict(tensor_parallel=1)):
        (problem,), _ = limits(tmp_path, software=plan, **form)
        assert problem.severity == "doubt" and "141 GB (131 GiB) on one GPU" in problem.text
    (problem,), _ = limits(tmp_path, software=dict(tensor_parallel=1, pipeline_parallel=1), **form)
    assert problem.severity == "error"
    assert limits(tmp_path, software=dict(tensor_parallel=2), **form)[0] == []  # 70.6 GB each


def test_without_a_number_of_gpus_nothing_is_impossible_and_that_is_said(tmp_path):
    form = dict(workload=dict(model="llama-3.1-70b"), slos=dict(tpot_p50="1 ns"))
    problems, (why,) = limits(tmp_path, hardware=dict(gpus_per_node=None), **form)
    assert problems == [] and "hardware.gpus_per_node" in why
    whole = dict(tensor_parallel=1, pipeline_parallel=1)
    assert len(limits(tmp_path, hardware=dict(gpus_per_node=None), software=whole, **form)[0]) == 2
    assert "too many" in limits(tmp_path, hardware=dict(nodes=10**30), **form)[1][0]


def test_with_both_goals_only_the_time_of_a_token_is_held_against_the_roofline(tmp_path):
    slos = dict(tpot_p50="1 ms", ttft_p50="1 ns", latency_p50="1 ms", throughput="1000000000 tokens/s")
    (problem,), (why,) = limits(tmp_path, kind="both", workload=dict(batch=8, prompt_tokens=8192), slos=slos)
    assert problem.field == "slos.tpot_p50" and "goal of both" in why


def test_training_is_bound_by_six_operations_a_parameter(tmp_path):
    """989.4e12 / (6 x 7.5e9) is about 22,000 tokens per second."""
    assert limits(tmp_path, kind="training", slos=dict(throughput="15000 tokens/s"))[0] == []
    (problem,), _ = limits(tmp_path, kind="training", slos=dict(throughput="30000 tokens/s"))
    assert problem.field == "slos.throughput"


def test_weights_that_no_memory_holds(tmp_path):
    work = dict(model="llama-3.1-70b")
    (problem,), _ = limits(tmp_path, workload=work)
    assert "cannot hold the weights: 141 GB" in problem.text and problem.field == "hardware.gpu"
    assert limits(tmp_path, workload=work, hardware=dict(gpus_per_node=2))[0] == []


def test_a_batch_whose_cache_does_not_fit(tmp_path):
    """131,072 bytes per token: 1000 sequences of 1024 tokens take 134 GB, beside 16 of weights."""
    (problem,), _ = limits(tmp_path, workload=dict(batch=1000, prompt_tokens=1024))
    assert problem.field == "workload.batch" and "134 GB" in problem.text
    assert limits(tmp_path, workload=dict(batch=500, prompt_tokens=1024))[0] == []


def test_heads_that_cannot_be_divided(tmp_path):
    (problem,), _ = limits(tmp_path, software=dict(tensor_parallel=3))
    assert "3 does not divide the 32 attention heads" in problem.text


def test_a_memory_that_is_not_the_cards(tmp_path):
    (problem,), _ = limits(tmp_path, hardware=dict(gpu_memory="80 GB"))
    assert (problem.severity, problem.field) == ("doubt", "hardware.gpu_memory")


def test_a_config_file_beside_the_form_is_read(tmp_path):
    config = json.loads((shipped_shapes.FOLDER / "llama-3.1-70b.json").read_text())
    config.pop("perfproof")
    (tmp_path / "config.json").write_text(json.dumps(config))
    (problem,), _ = limits(tmp_path, workload=dict(model="config.json"))
    assert "cannot hold the weights" in problem.text


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (dict(gpu="Abacus 3"), "no data sheet of 'Abacus 3'"),
        (dict(gpu="none"), "names no GPU"),
        (dict(workload=dict(model="llama-99b")), "'llama-99b' is not known"),
        (dict(workload=dict(weights_dtype="fp7")), "precision is not known"),
    ],
)
def test_what_is_not_known_is_not_checked_and_said(changed, why, tmp_path):
    _, not_checked = limits(tmp_path, slos=dict(tpot_p50="1 ns"), **changed)
    assert any(why in one for one in not_checked)


def test_a_broken_config_is_a_problem_and_no_crash(tmp_path):
    (tmp_path / "config.json").write_text("{")
    (problem,), _ = limits(tmp_path, workload=dict(model="config.json"))
    assert problem.field == "workload.model"


def own_model(tmp_path, **more):
    config = json.loads((shipped_shapes.FOLDER / "llama-3.1-70b.json").read_text())
    config.pop("perfproof")
    (tmp_path / "config.json").write_text(json.dumps({**config, **more}))
    return dict(model="config.json")


def test_an_unknown_quantisation_is_doubted_and_its_weights_are_not_held_against_the_memory(tmp_path):
    work = own_model(tmp_path, quantization_config=dict(quant_method="hqq"))
    (problem,), (why,) = limits(tmp_path, workload=work)
    assert (problem.field, problem.severity) == ("workload.weights_dtype", "doubt") and "'hqq'" in problem.text
    assert "precision is not known" in why
    (problem, other), _ = limits(tmp_path, workload=work | dict(weights_dtype="bf16"))
    assert problem.field == "workload.model" and "cannot hold the weights" in other.text


def test_what_rests_on_an_assumption_about_the_model_is_doubted_only(tmp_path):
    problems, _ = limits(tmp_path, workload=own_model(tmp_path, model_type="hyena-9"))
    assert [problem.severity for problem in problems] == ["doubt", "doubt"]
    assert "'hyena-9'" in problems[0].text and "cannot hold the weights" in problems[1].text


def test_a_model_whose_weights_cannot_be_counted_is_no_wrong_precision(tmp_path):
    kinds = ["mamba", "attention"] * 40
    (problem,), (why,) = limits(tmp_path, workload=own_model(tmp_path, layer_types=kinds, mamba_d_state=16))
    assert (problem.field, problem.severity) == ("workload.model", "doubt") and "cannot be counted" in why


def test_fp4_on_blackwell_is_held_against_its_own_rate(tmp_path):
    """2 x 7.5e9 x 8192 operations and attention: 14.5 ms at the 9 PFLOP/s of FP4, 29 ms at the 4.5 of FP8."""
    form = dict(gpu="B200", workload=dict(prompt_tokens=8192, weights_dtype="nvfp4"))
    assert limits(tmp_path, slos=dict(ttft_p50="20 ms"), **form)[0] == []
    (problem,), _ = limits(tmp_path, slos=dict(ttft_p50="13 ms"), **form)
    assert problem.field == "slos.ttft_p50"


def test_fp8_on_an_rtx_4090_is_held_against_its_own_rate(tmp_path):
    form = dict(gpu="RTX 4090", workload=dict(prompt_tokens=8192, weights_dtype="fp8"))
    assert limits(tmp_path, slos=dict(ttft_p50="250 ms"), **form)[0] == []


def test_fp8_where_it_is_widened_is_something_to_look_at(tmp_path):
    (problem,), _ = limits(tmp_path, gpu="A100 SXM 80 GB", workload=dict(weights_dtype="fp8"))
    assert problem.severity == "doubt" and "16 bits" in problem.text


def test_more_stages_than_layers_are_an_error(tmp_path):
    many = dict(hardware=dict(gpus_per_node=64), software=dict(pipeline_parallel=64))
    problems, _ = limits(tmp_path, **many)
    assert [one.field for one in problems] == ["software.pipeline_parallel"]
    assert limits(tmp_path, hardware=dict(gpus_per_node=64), software=dict(pipeline_parallel=32))[0] == []


def test_a_family_of_cards_is_asked_back(tmp_path):
    problems, not_checked = limits(tmp_path, gpu="H100")
    assert problems == [] and "H100 SXM" in not_checked[0]
