"""The engine: every rule is asked; shares are settled, confidence is lowered, findings are ranked."""

import ast
import shlex
from pathlib import Path

import pytest

from perfproof.cli.app import command_files
from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import rules
from perfproof.diagnose.diagnose import (
    LONG_RUNS,
    diagnose,
    downgrade,
    load_rule,
    numbered,
    rank,
    rule_names,
    settle,
    with_command,
    with_lines,
    worth_saying,
)
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import COMPARE_CHANGE
from tests.diagnose.building import DRAM, ISSUE, SM, Program, counters
from tests.diagnose.test_sampled import stacks

ROOT = Path(__file__).parents[2]
FOLDER = Path(rules.__path__[0])


def finding(rule="a", share=0.2, confidence="high", **fields):
    values = {"title": f"title of {rule}", "advice": "x", "experiment": "perfproof run x", "refuted_by": "y"}
    values["evidence"] = [Proof(text=f"proof of {rule}")]
    return Finding(rule=rule, share=share, confidence=confidence, **values | fields)


@pytest.mark.parametrize(
    ("command", "is_committed", "said"),
    [
        ("python train.py --lr 1", True, "perfproof ab 'python train.py --lr 1' --rev HEAD --rev worktree"),
        ("python train.py --lr 1", False, "perfproof ab 'python train.py --lr 1' 'python train_new.py --lr 1'"),
        ("python -m train", False, "perfproof ab 'python -m train' 'THE CHANGED PROGRAM'"),
        ("", False, "perfproof ab 'COMMAND' 'THE CHANGED PROGRAM'"),
    ],
)
def test_revisions_are_compared_only_if_a_commit_has_the_program(command, is_committed, said):
    found = diagnose(Evidence()).model_copy(update={"findings": [finding(experiment=COMPARE_CHANGE), finding()]})
    first, other = with_command(found, command, is_committed).findings
    assert (first.experiment, other.experiment) == (said, "perfproof run x")


@pytest.mark.parametrize("name", rule_names())
def test_a_rule_with_nothing_to_look_at_abstains_and_names_what_it_needs(name):
    answer = load_rule(name).find(Evidence())
    assert isinstance(answer, Abstained) and answer.rule == name and len(answer.missing) > 10


@pytest.mark.parametrize("name", rule_names())
def test_every_experiment_of_a_rule_is_a_command_and_a_target_that_exist(name):
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    commands = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("perfproof ")
    ]
    commands += [COMPARE_CHANGE for node in ast.walk(tree) if getattr(node, "id", "") == "COMPARE_CHANGE"]
    assert commands, "a rule names an experiment"
    for command in commands:
        assert "COMMAND --" not in command and ".py --" not in command, "nothing is known of a program's options"
        _, verb, *rest = shlex.split(command)
        assert verb in command_files(), command
        for target in [word for word in rest if verb == "run" and word.startswith("ch")]:
            chapter, _, pair = target.partition(":")
            assert list(ROOT.glob(f"chapters/{chapter}_*/{pair}.py")), command


def test_every_rule_has_a_test_of_its_own():
    tested = {path.stem.removeprefix("test_") for path in (Path(__file__).parent / "rules").glob("test_*.py")}
    assert set(rule_names()) <= tested


def test_a_program_without_fault_gets_no_finding():
    program = Program()
    for base in program.starts():
        program.kernel(base + 4, base + 1004, "nvjet_gemm", launched=base)
    found = diagnose(program.evidence())
    assert found.findings == [] and "gpu_idle" in found.silent and found.steps[0].used == 2
    asked = {*found.silent, *(one.rule for one in found.abstained)}
    assert asked == set(rule_names())


def test_what_could_save_less_than_one_in_a_hundred_is_a_note_and_no_finding():
    few = {"sm__warps_active.avg.pct_of_peak_sustained_active": 0.06, "launch__occupancy_limit_registers": 16.0}
    small = few | {DRAM: 0.01, SM: 0.01, ISSUE: 0.03}
    found = diagnose(counters(("large", 0.995, {DRAM: 0.9, SM: 0.1}), ("tiny", 0.005, small)))
    assert [one.rule for one in found.findings] == ["memory_bound"]
    assert {"low_occupancy", "latency_bound"} <= set(found.silent)
    assert [note.partition(":")[0] for note in found.warnings] == ["latency_bound", "low_occupancy"]
    assert "0.5 % of the profiled kernels' time" in found.warnings[0]


def test_a_note_says_that_the_rest_is_elsewhere():
    program = Program()
    for base in program.starts():  # 400 µs of each step idle: all of them after a synchronisation
        program.kernel(base, base + 600, launched=base - 50)
        program.kernel(base + 1000, base + 1001, launched=base + 990)
    program.each_step(Kind.RUNTIME, "cudaStreamSynchronize", 100, 603)
    found = diagnose(program.evidence())
    assert "host_sync" in {one.rule for one in found.findings} and "gpu_idle" in found.silent
    place = [one.rule for one in found.findings].index("host_sync") + 1
    assert f"gpu_idle: counted under finding {place}" in found.warnings


def test_a_part_that_another_finding_has_is_told_by_its_number():
    whole = finding("input_bound", 0.7, parts={"repeated_calls": 0.4})
    both = numbered(rank(settle([whole, finding("repeated_calls", 0.4)])))
    assert [one.rule for one in both] == ["repeated_calls", "input_bound"]
    assert both[1].evidence[-1].text == "of these 70 %, 40 % are finding 1 (repeated_calls)"


def test_whole_runs_of_a_long_program_are_no_advice_without_a_word_about_it():
    lines = stacks("[called before with these arguments] f;main (a.py:9);f (a.py:3) 800", "main (a.py:9) 200")
    long, short = (diagnose(Evidence(stacks=lines, ran_long=ran_long)).warnings for ran_long in (True, False))
    assert LONG_RUNS in long and LONG_RUNS not in short
    assert LONG_RUNS not in diagnose(Evidence(ran_long=True)).warnings  # nothing to try


def test_what_poisons_or_has_no_share_is_listed_whatever_it_saves():
    kept = [finding("throttling", 0.0, poisons="all"), finding("a", None), finding("b", 0.01)]
    assert worth_saying([*kept, finding("c", 0.0099), finding("d", 0.0)]) == kept


def test_time_that_another_finding_has_is_not_promised_twice():
    whole = finding("gpu_idle", 0.5, parts={"launch_bound": 0.4, "input_bound": 0.1})
    settled = {one.rule: one for one in settle([whole, finding("launch_bound", 0.4)])}
    assert settled["gpu_idle"].share == pytest.approx(0.1)  # input_bound found nothing: its part stays here
    assert settled["gpu_idle"].confidence == "low" and settled["launch_bound"].share == 0.4
    assert "launch_bound (40 %)" in settled["gpu_idle"].evidence[-1].text


def test_no_more_is_taken_off_than_the_other_finding_promises():
    whole = finding("gpu_idle", 0.5, parts={"host_sync": 0.4, "comm_slow": 0.05})
    settled = settle([whole, finding("host_sync", 0.1), finding("comm_slow", None)])
    assert settled[0].share == pytest.approx(0.35) and settled[0].confidence == "high"


def test_a_finding_without_parts_or_share_stays_as_it_is():
    alone = [finding("a", 0.3, parts={"b": 0.1}), finding("c", None, parts={"a": 0.1})]
    assert settle(alone) == alone


def test_throttling_lowers_everything_by_one_and_says_why():
    found = [finding("throttling", None, "high", poisons="all"), finding("a"), finding("b", confidence="low")]
    judged, notes = downgrade(found)
    assert [one.confidence for one in judged] == ["high", "medium", "low"]
    assert [(note.rule, note.by, note.was, note.now) for note in notes] == [("a", "throttling", "high", "medium")]
    assert "proof of throttling" in notes[0].reason


def test_a_slow_profiler_lowers_what_rests_on_durations_only():
    found = [finding("profiler_overhead", None, poisons="durations"), finding("a"), finding("b", basis="counters")]
    assert [one.confidence for one in downgrade(found)[0]] == ["high", "medium", "high"]


def test_two_poisons_lower_twice_and_never_each_other():
    found = [finding("x", None, poisons="all"), finding("y", None, poisons="durations"), finding("a")]
    judged, notes = downgrade(found)
    assert [one.confidence for one in judged] == ["high", "high", "low"] and len(notes) == 2


def test_a_suspicion_poisons_nothing():
    found = [finding("throttling", None, "low", poisons="all"), finding("a")]
    assert downgrade(found) == (found, [])


def test_the_most_to_save_comes_first_behind_what_poisons():
    found = [finding("a", 0.1), finding("b", 0.4, "medium"), finding("c", None), finding("d", 0.1, "medium")]
    assert [one.rule for one in rank(found)] == ["b", "a", "d", "c"]
    poison = finding("throttling", None, "medium", poisons="all")
    assert rank([*found, poison])[0].rule == "throttling"
    assert rank([*found, poison.model_copy(update={"confidence": "low"})])[0].rule == "b"


def test_a_suspicion_comes_after_the_others_however_large():
    of_kernels = finding("spills", 0.2, share_of="profiled kernels")
    found = [finding("compute_bound", 0.98, "low"), finding("gpu_idle", 0.3, "low"), of_kernels, finding("a", 0.1)]
    assert [one.rule for one in rank(found)] == ["a", "spills", "compute_bound", "gpu_idle"]


def test_shares_of_the_step_come_before_shares_of_the_counted_kernels():
    of_kernels = finding("spills", 0.9, share_of="profiled kernels")
    found = [of_kernels, finding("a", 0.1), finding("c", None)]
    assert [one.rule for one in rank(found)] == ["a", "c", "spills"]


def test_an_experiment_that_is_no_command_of_ours_is_refused():
    with pytest.raises(ValueError, match="experiment"):
        finding(experiment="make it faster")


def test_a_share_above_one_is_refused():
    with pytest.raises(ValueError, match="share"):
        finding(share=1.2)


def test_the_page_about_the_rules_names_every_one():
    page = (ROOT / "docs" / "diagnose.md").read_text()
    assert [name for name in rule_names() if f"`{name}`" not in page] == []


def test_a_finding_about_operators_lists_the_programs_lines_and_one_that_names_a_line_does_not():
    evidence = Evidence(stacks=stacks("forward (a.py:5);[aten::mm] 900", "log (a.py:9);[waits] 100"))
    operators, named = with_lines([finding(), finding(evidence=[Proof(text="x", place="log (a.py:9)")])], evidence)
    assert "forward (a.py:5) 90 %" in operators.evidence[-1].text and len(named.evidence) == 1
