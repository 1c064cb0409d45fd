"""Recompilations as torch 2.13 writes them for TORCH_LOGS=recompiles."""

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.recompiles import find
from perfproof.profile.compile_log import WARM_MARK


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
