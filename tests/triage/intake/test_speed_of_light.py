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
    machine = {"gpu": gpu, **sections.pop("hardware", {})}
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


def test_more_gpus_give_more_throughput_and_no_shorter_token(tmp_path):
    eight = dict(hardware=dict(gpus_per_node=8), workload=dict(batch=1))
    assert limits(tmp_path, baseline=dict(throughput="400 tokens/s"), **eight)[0] == []


def test_training_is_bound_by_six_operations_a_parameter(tmp_path):
    """989.4e12 / (6 x 7.5e9) is about 22,000 tokens a second."""
    assert limits(tmp_path, kind="training", slos=dict(throughput="15000 tokens/s"))[0] == []
    (problem,), _ = limits(tmp_path, kind="training", slos=dict(throughput="30000 tokens/s"))
    assert problem.field == "slos.throughput"


def test_weights_that_no_memory_holds(tmp_path):
    work = dict(model="llama-3.1-70b")
    (problem,), _ = limits(tmp_path, workload=work)
    assert "cannot hold the weights: 141 GB" in problem.text and problem.field == "hardware.gpu"
    assert limits(tmp_path, workload=work, software=dict(tensor_parallel=2))[0] == []


def test_a_batch_whose_cache_does_not_fit(tmp_path):
    """131,072 bytes a token: 1000 sequences of 1024 tokens take 134 GB, beside 16 of weights."""
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
