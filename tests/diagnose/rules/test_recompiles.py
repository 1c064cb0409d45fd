"""Recompilations as torch 2.13 writes them for TORCH_LOGS=recompiles."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.recompiles import find
from perfproof.profile.compile_log import WARM_MARK
from tests.diagnose.building import Program


def recompiled(number, function="forward"):
    head = f"V1115 10:20:19.78400{number} 3072 torch/_dynamo/guards.py:5396] [0/{number}] [__recompiles] "
    lines = (
        f"Recompiling function {function} in train.py:10",
        "    triggered by the following guard failure(s):",
        f"    - 0/{number - 1}: factor == {number}            # return x * factor  # train.py:11 in {function}",
    )
    return "\n".join(head + line for line in lines)


def evidence_of(*parts):
    return Evidence(compile_logs={"compile.log": "\n".join(parts)})


def test_those_after_warm_up_are_certain():
    finding = find(evidence_of(recompiled(1), WARM_MARK, recompiled(2), recompiled(3)))
    assert finding.confidence == "high"
    assert finding.evidence[0].values == {"recompiles": 3, "late": 2}
    assert "factor == " in finding.evidence[1].text


def test_many_without_a_mark_are_likely_and_one_is_usual():
    assert find(evidence_of(recompiled(1), recompiled(2), recompiled(3))).confidence == "medium"
    assert find(evidence_of(recompiled(1))).confidence == "low"


def test_those_of_warm_up_only_are_a_low_suspicion():
    assert find(evidence_of(recompiled(1), recompiled(2), WARM_MARK)).confidence == "low"


def test_without_a_log_it_abstains():
    assert isinstance(find(Evidence()), Abstained)


def compiling(name, until):
    program = Program()
    program.each_step(Kind.RANGE, name, 0, until)
    program.each_step(Kind.OPERATOR, "aten::mm", until, 1000)
    return program.evidence()


def test_a_trace_in_whose_steady_steps_code_is_compiled_tells_how_much_time_that_takes():
    found = find(compiling("_compile.compile_inner (dynamo_timed)", 300))
    assert found.share == pytest.approx(0.3) and found.confidence == "high" and found.basis == "durations"


def test_running_what_was_compiled_is_no_compilation():
    assert isinstance(find(compiling("Torch-Compiled Region: 0/0", 300)), Abstained)
    assert isinstance(find(compiling("CompiledFunctionBackward", 300)), Abstained)
