"""Work of the host between computations owns the time in which nothing is computed."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events, Kind, Total
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_work import find
from tests.diagnose.building import Program
from tests.diagnose.test_sampled import stacks


def on_gpu(idle, step=10_000):
    program = Program(step=step)
    for base in program.starts():
        program.kernel(base + idle, base + step, launched=base + idle - 10)
    return program


def on_cpu(python, then="aten::linear", step=10_000):
    """Python first in every step; then two operators."""
    program = Program(step=step)
    middle = (python + step) / 2
    program.each_step(Kind.OPERATOR, then, python, middle)
    program.each_step(Kind.OPERATOR, "aten::relu", middle, step)
    return program


def test_gaps_in_which_the_host_did_other_work_are_its_own_and_not_idle_time():
    findings = diagnose(on_gpu(4000).evidence()).findings
    assert findings[0].rule == "host_work" and findings[0].share == pytest.approx(0.4)
    assert "gpu_idle" not in [one.rule for one in findings]


def test_work_after_a_short_wait_for_the_gpu_is_work_and_not_the_wait():
    program = on_gpu(4000)
    program.each_step(Kind.RUNTIME, "cudaStreamSynchronize", -100, 5)
    found = find(program.evidence())
    assert found.share == pytest.approx(0.4) and "follow a wait" in found.evidence[0].text


def test_a_long_wait_is_no_work():
    program = on_gpu(400, step=1000)
    program.each_step(Kind.RUNTIME, "cudaStreamSynchronize", -100, 380)
    assert find(program.evidence()) is None


def test_on_a_cpu_python_between_operators_is_named_with_the_command_that_says_more():
    found = find(on_cpu(4000).evidence())
    assert found.share == pytest.approx(0.4, abs=0.01) and found.confidence == "high"
    assert any("--tool perf" in one.text for one in found.evidence)


def test_sampled_stacks_name_the_function():
    stacks = Events("stacks")
    stacks.totals = [Total(("main", "tokenize"), {"samples": 90.0}), Total(("main", "forward"), {"samples": 10.0})]
    found = find(on_cpu(4000).evidence(stacks=(stacks,)))
    assert any("tokenize 90 %" in one.text for one in found.evidence)


def test_a_cpu_that_computes_nearly_all_the_time_is_silent():
    assert find(on_cpu(500).evidence()) is None


def test_a_trace_with_hardly_an_operator_does_not_say_what_the_program_computes_with():
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::relu", 900, 1000)
    assert find(program.evidence()) is None


def test_python_that_becomes_a_tensor_is_left_to_the_rule_of_input():
    assert find(on_cpu(4000, then="aten::lift_fresh").evidence()) is None


def test_without_a_trace_it_abstains():
    assert isinstance(find(Evidence()), Abstained)


def test_a_call_of_cudnn_that_takes_milliseconds_prepares_for_a_shape():
    program = on_gpu(4000)
    assert "new shapes" not in find(program.evidence()).title
    program.each_step(Kind.OPERATOR, "aten::_cudnn_attention_forward", 100, 3900)
    found = find(program.evidence())
    assert "_cudnn_attention_forward" in found.title and "new shapes" in found.title and "pad" in found.advice


def convolving(kernels, steps=6, idle=4000, step=10_000, tried=None):
    """A convolution for whose plan the host takes `idle` µs, with so many kernels, in the steps that are `tried`."""
    program = Program(step=step, steps=steps)
    for number, base in enumerate(program.starts()):
        program.add(Kind.OPERATOR, "aten::cudnn_convolution", base + 5, base + idle)
        for place in range(kernels if tried is None or number in tried else 2):
            program.kernel(base + idle - 90 + 4 * place, base + idle - 88 + 4 * place, launched=base + idle - 95)
        program.kernel(base + idle, base + step, launched=base + idle - 10)
    return program.evidence()


def test_algorithms_that_are_tried_in_every_step_are_told_with_the_switch():
    found = find(convolving(kernels=20))
    assert found.title == "cuDNN tries its algorithms anew for each shape in the step"
    assert found.advice.startswith("torch.backends.cudnn.benchmark = False")


@pytest.mark.parametrize("healthy", [{"kernels": 4}, {"kernels": 20, "tried": [2]}])
def test_a_plan_for_a_new_shape_and_one_search_are_no_search_in_every_step(healthy):
    assert "prepares for new shapes" in find(convolving(**healthy)).title


def copied(line, size=2**26, way="Memcpy DtoH (Device -> Pageable)"):
    program = Program(step=10_000)
    for base in program.starts():
        program.work(base, base + 1000, way, kind=Kind.COPY, bytes=size)
        program.kernel(base + 5000, base + 10_000, launched=base + 4990)
    return find(program.evidence(stacks=stacks(f"classify (a.py:7);[runs] {line} 400", "fit (a.py:9);[aten::mm] 600")))


def test_what_the_host_reduces_after_a_large_copy_belongs_on_the_device():
    found = copied("scores.argmax(axis=1)")
    assert found.title == "the host computes on what it has copied from the GPU"
    assert found.advice.startswith("compute it on the device, before the copy")


@pytest.mark.parametrize(
    "healthy",
    [
        {"line": "np.save(file, scores)"},  # all of it is needed
        {"line": "scores.argmax(axis=1)", "size": 4096},
        {"line": "scores.argmax(axis=1)", "way": "Memcpy HtoD (Pageable -> Device)"},
    ],
)
def test_small_copies_and_answers_that_are_kept_are_other_work(healthy):
    assert copied(**healthy).title == "the host does other work between computations"
