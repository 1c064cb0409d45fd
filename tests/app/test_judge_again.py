"""A saved run judged again: another limit, another quantity, and what is said about it."""

import pytest

from perfproof.app.judge_again import judge_again
from perfproof.core.documents import Warning
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.report.sentences import sentences_of
from tests.report.sample_runs import judged, run, target

LOSS = {"beta": 0.002, "delta": 0.01, "size": "material", "level": 0.985}


def saved(**options):
    cpu = judged("faster", 1.5, 1.4, 1.6, clock="cpu", size="material", beta=0.002)
    slow = judged("slower", 0.96, 0.95, 0.97, clock="wall", **LOSS)
    return run(target("a against b", slow, also={"cpu": cpu}), options={"delta": 0.01} | options)


def test_a_larger_delta_passes_the_gate_and_the_result_says_that_it_was_judged_again():
    first = saved(gate=True)
    again = judge_again(first, 0.1, None, gate=True)
    (one,) = again.targets
    assert (one.verdict, one.ratios["optimized"].size, one.gate) == ("slower", "small", "pass")
    assert one.ratios["optimized"].level == 0.985 and again.options["delta"] == 0.1
    assert "Judged again by --delta 10% instead of 1%." in sentences_of(again)[0]
    assert [said.code for said in one.warnings] == ["W149"]
    assert first.targets[0].ratios["optimized"].size == "material" and not first.targets[0].warnings


def test_another_quantity_changes_places_with_the_one_that_was_judged():
    (one,) = judge_again(saved(), None, "cpu", gate=False).targets
    assert one.verdict == "faster" and list(one.also) == ["wall"] and one.gate is None
    assert "--judge cpu instead of wall" in one.warnings[0].text


def test_what_was_judged_before_needs_no_remark():
    (one,) = judge_again(saved(), None, "wall", gate=True).targets
    assert one.gate == "fail" and not one.warnings


def test_programs_that_print_different_things_may_be_allowed_to_afterwards():
    same = judged("same", 1.0, 0.995, 1.005, clock="wall", delta=0.01)
    said = Warning(code="W140", text="the two print different things (loss 2 against 3)")
    other = run(target("a against b", same, warnings=[said]), options={"delta": 0.01, "ab": {}})
    assert judge_again(other, None, None, True).targets[0].gate == "fail"
    assert judge_again(other, None, None, True, output_may_differ=True).targets[0].gate == "pass"


def test_what_was_not_measured_cannot_be_judged():
    with pytest.raises(UsageError, match="measured wall, cpu"):
        judge_again(saved(), None, "tps", gate=False)
    pair = run(target("mine", judged()))
    with pytest.raises(UsageError, match="is a pair, of which only the time is judged"):
        judge_again(pair, None, "cpu", gate=False)
    with pytest.raises(NothingMatched, match="nothing to judge again"):
        judge_again(run(target(status="crashed")), 0.1, None, gate=False)
