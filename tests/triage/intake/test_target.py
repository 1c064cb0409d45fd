"""The target of a form: read with its KPI, held against the roofline and against today."""

import pytest
import yaml

from perfproof.core.intake import Intake
from perfproof.triage.intake import check_text
from perfproof.triage.intake.target import Target, read_target


def form(kpi, target, **sections):
    goal = dict(summary="s", kind="inference", kpi=kpi, target=target)
    work = dict(model="llama-3.1-8b", prompt_tokens=1024, batch=64)
    machine = dict(gpu="H200", gpus_per_node=8)
    return dict(goal=goal, workload=work, hardware=machine, software=dict(tensor_parallel=1)) | sections


def problems(tmp_path, *given, **sections):
    found = check_text(yaml.safe_dump(form(*given, **sections)), tmp_path)
    return [(one.field, one.severity, one.text) for one in found.problems]


@pytest.mark.parametrize(
    ("kpi", "written", "target"),
    [
        ("tokens/s", "6000 tokens/s", Target(6000, "tokens")),
        ("tokens/s/GPU", "6000 tokens/s", Target(48_000, "tokens")),
        ("throughput", "6000 tokens/s per GPU", Target(48_000, "tokens")),
        ("throughput", "6000 tokens/s/GPU", Target(48_000, "tokens")),
        ("TPOT p50", "12 ms", Target(0.012, "s", "tpot")),
        ("time to first token", "0.2 s", Target(0.2, "s", "ttft")),
        ("step time", "3 s", Target(3, "s", "latency")),
        ("happiness", "3 s", None),
        ("$ per Mtok", "0.2 $", None),
        ("tokens/s", None, None),
    ],
)
def test_the_kpi_says_what_the_target_counts(kpi, written, target):
    assert read_target(Intake.model_validate(form(kpi, written))) == target


def test_a_target_above_the_roofline_is_an_error_and_one_below_is_not(tmp_path):
    """64 sequences on each of 8 H200: 15.0 GB of weights and 8.6 GB of cache at 4.8 TB/s are 4.9 ms, 104,000 per s."""
    ((field, severity, text),) = problems(tmp_path, "tokens/s/GPU", "20000 tokens/s")
    assert (field, severity) == ("goal.target", "error") and "160,000" in text
    assert problems(tmp_path, "tokens/s/GPU", "12000 tokens/s") == []


def test_a_time_faster_than_the_weights_can_be_read_is_an_error(tmp_path):
    ((field, severity, text),) = problems(tmp_path, "tpot", "3 ms")
    assert (field, severity) == ("goal.target", "error") and "roofline" in text
    assert problems(tmp_path, "tpot", "8 ms") == []


def test_a_target_that_is_met_today_is_something_to_look_at(tmp_path):
    ((field, severity, text),) = problems(
        tmp_path, "tokens/s", "6000 tokens/s", baseline=dict(throughput="7000 tokens/s")
    )
    assert (field, severity) == ("goal.target", "doubt") and "7000 tokens/s today" in text
    assert problems(tmp_path, "tokens/s", "6000 tokens/s", baseline=dict(throughput="5000 tokens/s")) == []
    assert problems(tmp_path, "tpot", "9 ms", baseline=dict(tpot_p50="8 ms"))[0][1] == "doubt"
