"""Weights that are converted again for every token are named; activations, and one conversion per step, are not."""

import json
from pathlib import Path

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence, gather
from perfproof.diagnose.rules.converted_weights import find
from tests.diagnose.building import Program

WEIGHT, INPUT = [4096, 1024], [8, 1024]
RECORDED = Path(__file__).parents[2] / "profile" / "readers" / "recorded" / "kineto_without_times.json"


def decoding(length, converted=WEIGHT, layer="aten::linear", number="15", steps=6):
    """Steps of 1000 µs: a conversion of so many µs, then a layer."""
    program = Program(steps=steps)
    copies = {"Input Dims": [converted, [], []], "Input type": ["float", "Scalar", ""]}
    copies["Concrete Inputs"] = ["", number, ""]
    layers = {"Input Dims": [INPUT, WEIGHT, []], "Input type": ["c10::BFloat16", "c10::BFloat16", ""]}
    for base in program.starts():
        program.add(Kind.OPERATOR, "aten::_to_copy", base, base + 10, args=copies)
        program.kernel(base + 20, base + 20 + length, "bfloat16_copy_kernel", launched=base + 2)
        program.add(Kind.OPERATOR, layer, base + 11, base + 19, args=layers)
        program.kernel(base + 20 + length, base + 980, "nvjet", launched=base + 12)
    return program.evidence()


def test_weights_that_take_much_of_each_step_to_convert_are_named_with_both_remedies():
    found = find(decoding(600))
    assert found.title == "weights are converted to bfloat16 in every step" and found.confidence == "high"
    assert found.share == pytest.approx(0.6) and "[4096, 1024]" in found.evidence[0].text
    assert "model.to(torch.bfloat16)" in found.advice and "one autocast context" in found.advice


def test_it_stands_before_what_only_says_that_memory_is_moved():
    findings = diagnose(decoding(600)).findings
    assert findings[0].rule == "converted_weights"
    assert not [one for one in findings if one.rule == "costly_kernels" and one.confidence != "low"]


@pytest.mark.parametrize(
    "healthy",
    [
        {"length": 100},  # a training step that converts each weight once takes little for it
        {"length": 600, "converted": INPUT},  # activations
        {"length": 600, "number": "6"},  # to float32
        {"length": 600, "layer": "aten::relu"},  # no weight of a layer
        {"length": 600, "steps": 3},  # too few passes to say that it happens again
    ],
)
def test_little_time_activations_and_single_passes_are_fine(healthy):
    assert find(decoding(**healthy)) is None


def without_times(tmp_path, passes):
    """A real recording in which every time of CUPTI is zero, cut down to one layer, several times over."""
    trace = json.loads(RECORDED.read_text())
    host = [event for event in trace["traceEvents"] if event["cat"] == "cpu_op"]
    others = [event for event in trace["traceEvents"] if event["cat"] != "cpu_op"]
    first = min(event["ts"] for event in host)
    passed = [event | {"ts": event["ts"] + 1e3 * turn} for turn in range(passes) for event in host]
    assert first > 1e12  # since 1970: zeros would stretch the trace
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace | {"traceEvents": passed + others}))
    return gather([path])


def test_without_the_times_of_the_gpu_the_bandwidth_says_how_long_it_takes_at_least(tmp_path):
    found = find(without_times(tmp_path, passes=20))
    assert found.confidence == "medium" and "at the memory's bandwidth" in found.evidence[0].text
    assert 0.15 < found.share < 1


def test_without_the_times_of_the_gpu_no_rule_takes_the_program_for_one_of_a_cpu(tmp_path):
    evidence = without_times(tmp_path, passes=20)
    assert not evidence.traces and evidence.uses_gpu and len(evidence.untimed) == 1
    assert {one.rule for one in diagnose(evidence).findings} == {"converted_weights"}


def test_without_a_gpu_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
