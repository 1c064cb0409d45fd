"""A form that is wrong is refused at the line and column of what is wrong; one that is right is read."""

import json

import jsonschema
import pytest
import yaml

from perfproof.core.intake import Intake
from perfproof.core.schema import schema_text
from perfproof.machine.hardware import read_hardware
from perfproof.triage.intake import check_text, new_form
from perfproof.triage.intake.checking import without_empty
from perfproof.triage.intake.form import EXAMPLE, example_form

GOAL = dict(summary="Be faster.", kind="inference", kpi="tokens/s")


def checked(tmp_path, **sections):
    form = {"goal": GOAL, **sections}
    return check_text(yaml.safe_dump(form, sort_keys=False), tmp_path)


def texts(found):
    return [f"{problem.field}: {problem.text}" for problem in found.problems]


def test_the_example_is_right_and_obeys_the_published_schema(tmp_path):
    found = check_text(example_form(), tmp_path)
    assert (found.problems, found.not_checked) == ([], [])
    document = without_empty(yaml.safe_load(example_form()))
    jsonschema.validate(document, json.loads(schema_text("intake")))
    assert document == {"schema_version": 1, **EXAMPLE}


def test_the_new_form_is_one_page_and_lacks_only_the_goal(tmp_path):
    form = new_form(read_hardware())
    assert len(form.splitlines()) < 90
    problems = check_text(form, tmp_path).problems
    assert [problem.field for problem in problems] == ["goal.summary", "goal.kind", "goal.kpi"]
    assert problems[0].line == 1 + form.splitlines().index(
        next(line for line in form.splitlines() if "summary" in line)
    )
    filled = yaml.safe_load(form)
    assert filled["hardware"]["host_memory"].endswith(" GB") and filled["software"]["versions"]["python"]


def test_every_field_of_the_document_is_on_the_form():
    form = yaml.safe_load(new_form(None))
    for name, info in Intake.model_fields.items():
        if name != "schema_version":
            assert list(form[name]) == list(info.annotation.model_fields)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("slos:\n  ttft_p50: 200", '6:13: slos.ttft_p50: 200 has no unit: write it like "200 ms"'),
        ("slos:\n  ttft_p50: soon", "6:13: slos.ttft_p50: 'soon' is not understood: write a number and a unit"),
        ("slos:\n  tttf_p50: 1 s", "6:3: slos.tttf_p50: is no field of this form; did you mean ttft_p50?"),
        ("slo:\n  ttft_p50: 1 s", "5:1: slo: is no field of this form; did you mean slos?"),
        ("workload:\n  batch: many", "6:10: workload.batch: 'many' must be a whole number"),
        ("workload:\n  batch: 0", "6:10: workload.batch: 0: input should be greater than or equal to 1"),
        ("hardware:\n  gpu_memory: 200 ms", "6:15: hardware.gpu_memory: '200 ms' is not understood"),
        ("baseline:\n  symptoms: launch-bound", "6:13: baseline.symptoms: "),
        ("slos: fast", "5:7: slos: "),
    ],
)
def test_what_breaks_the_document_is_told_at_its_place(line, said, tmp_path):
    text = f"goal:\n  summary: s\n  kind: both\n  kpi: k\n{line}\n"
    found = check_text(text, tmp_path)
    assert found.intake is None and len(found.problems) == 1
    assert str(found.problems[0]).startswith(said)


@pytest.mark.parametrize("text", ["", "just words", "- a\n- b\n", "a: [", "\x00"])
def test_what_is_no_form_is_refused(text, tmp_path):
    found = check_text(text, tmp_path)
    assert found.intake is None and found.errors


def test_a_symptom_that_the_menu_does_not_know_is_to_be_looked_at(tmp_path):
    text = yaml.safe_dump({"goal": GOAL, "baseline": {"symptoms": ["memorybound"]}})
    found = check_text(text, tmp_path, {"memory-bound", "input-bound"})
    assert not found.errors and "did you mean memory-bound?" in found.problems[0].text


@pytest.mark.parametrize(
    ("sections", "field", "said"),
    [
        (dict(slos=dict(ttft_p50="1 s", ttft_p99="900 ms")), "slos.ttft_p99", "cannot be below the p50 of 1 s"),
        (dict(baseline=dict(tpot_p50="9 ms", tpot_p99="8 ms")), "baseline.tpot_p99", "cannot be below"),
        (
            dict(slos=dict(latency_p50="1 s", ttft_p50="100 ms", tpot_p50="10 ms"), workload=dict(output_tokens=200)),
            "slos.latency_p50",
            "ttft_p50 and 199 times tpot_p50 together, 2.09 s",
        ),
        (
            dict(workload=dict(arrivals="10 requests/s", concurrency=8), slos=dict(latency_p50="2 s")),
            "workload.concurrency",
            "20 in flight",
        ),
        (
            dict(software=dict(tensor_parallel=8, data_parallel=2), hardware=dict(gpus_per_node=8)),
            "software.tensor_parallel",
            "needs 16 GPUs, and there are 8",
        ),
        (
            dict(software=dict(tensor_parallel=2, data_parallel=2), hardware=dict(gpus_per_node=8)),
            "software.tensor_parallel",
            "uses 4 of 8 GPUs",
        ),
        (
            dict(workload=dict(batch=4, global_batch=100, accumulation_steps=3), software=dict(data_parallel=8)),
            "workload.global_batch",
            "4 x 8 x 3 = 96",
        ),
        (
            dict(hardware=dict(gpu_memory="80 GB"), baseline=dict(gpu_memory_used="90 GB")),
            "baseline.gpu_memory_used",
            "more than the 80 GB",
        ),
        (dict(slos=dict(tpot_p50="20 ms"), baseline=dict(tpot_p50="15 ms")), "slos.tpot_p50", "met already"),
        (
            dict(slos=dict(throughput="9 tokens/s"), baseline=dict(throughput="2 requests/s")),
            "baseline.throughput",
            "counts requests, the SLO tokens",
        ),
        (
            dict(workload=dict(weights_dtype="fp8"), constraints=dict(precisions=["bf16"])),
            "workload.weights_dtype",
            "not among the allowed",
        ),
    ],
)
def test_contradictions_are_found(sections, field, said, tmp_path):
    (problem,) = checked(tmp_path, **sections).problems
    assert problem.field == field and said in problem.text and problem.line > 1


def test_a_decimal_comma_is_refused_and_not_read_as_thousands(tmp_path):
    found = checked(tmp_path, slos=dict(ttft_p50="0,5 s", error_rate="0,1 %"), hardware=dict(gpu_memory="141,5 GB"))
    assert [problem.field for problem in found.errors] == ["slos.ttft_p50", "slos.error_rate", "hardware.gpu_memory"]
    assert "'0,5 s' is not understood" in found.errors[0].text and "write 0.5 s" in found.errors[0].text


def test_a_comma_that_may_be_either_is_read_as_thousands_and_said(tmp_path):
    (problem,) = checked(tmp_path, slos=dict(ttft_p50="1,500 ms", throughput="1,500,000 tokens/s")).problems
    assert problem.severity == "doubt" and "is read as 1500 ms" in problem.text and "write 1.500 ms" in problem.text
    assert checked(tmp_path, goal=GOAL | dict(target="0,5 s"), budget=dict(money="1,5 M")).problems == []  # free text


def test_nothing_is_said_about_fields_that_are_empty(tmp_path):
    found = checked(tmp_path)
    assert found.problems == []
    assert len(found.not_checked) == 2  # neither GPU nor model is named


@pytest.mark.parametrize(
    ("line", "place", "word"),
    [
        ("workload:\n  prompt_tokens: yes", "workload.prompt_tokens", "quotes"),
        ("hardware:\n  gpu: no", "hardware.gpu", "quotes"),
        ("budget:\n  gpu_hours: true", "budget.gpu_hours", "quotes"),
        ("constraints:\n  guardrails: [off]", "constraints.guardrails.0", "quotes"),
        ("schema_version: 2", "schema_version", "version"),
        ("slos:\n  error_rate: 150 %", "slos.error_rate", "100 %"),
        ("baseline:\n  goodput: 101 %", "baseline.goodput", "100 %"),
        ("hardware:\n  gpu: none\n  gpus_per_node: 8", "hardware.gpus_per_node", "none"),
        ("hardware:\n  gpu: H200\n  gpus_per_node: 0", "hardware.gpus_per_node", "H200"),
        ("hardware:\n  gpu: A100 SXM 80 GB\nworkload:\n  model: llama-3.1-8b\n  weights_dtype: fp8", None, None),
    ],
)
def test_what_cannot_be_meant_is_an_error(line, place, word, tmp_path):
    kind = "training" if "A100" in line else "inference"
    found = check_text(f"goal:\n  summary: s\n  kind: {kind}\n  kpi: k\n{line}\n", tmp_path)
    (problem,) = found.errors
    assert problem.field == (place or "workload.weights_dtype") and (word or "cannot train") in problem.text


@pytest.mark.parametrize(
    "line",
    [
        "slos:\n  error_rate: 100 %",
        "schema_version: 1",
        "hardware:\n  gpu: none\n  gpus_per_node: 0",
        'hardware:\n  gpu: "none"',
        "budget:\n  gpu_hour: 2.5 $/h\n  electricity: 0.16 EUR/kWh",
        "baseline:\n  gpu_power: 0.65 kW\n  gpu_utilisation: 38 %",
        "hardware:\n  gpu: RTX 4090\nworkload:\n  model: llama-3.1-8b\n  weights_dtype: fp8",
    ],
)
def test_and_what_looks_alike_is_not(line, tmp_path):
    assert check_text(f"goal:\n  summary: s\n  kind: inference\n  kpi: k\n{line}\n", tmp_path).problems == []
