"""The step a person most likely wants next; `tests/cli/commands/test_next_step.py` executes each form."""

import pytest

from perfproof.core.documents import Check, FunctionSource, VariantResult, Warning
from perfproof.report.next_step import QUIET, next_command, notes_command, same_inputs, without_the_wrong_one
from perfproof.report.rows import target_rows
from tests.report.sample_runs import MODES, UNDECIDED, judged, run, target

CRASHED = target("a", status="crashed", log="logs/a.log")
SHORT = judged("indicative", 1.03, None, None)
ONE_LAUNCH = judged("indicative", 1.03, None, None, launches=1)
ONE_BLOCK = judged("indicative", 1.75, None, None, rung="programs", launches=1)
ENDED = [Warning(code="W118", text="the budget ended")]
VIRTUAL = {"warnings": [{"code": "W107", "text": "x"}, {"code": "W108", "text": "x"}]}


def skipped(reason):
    return run(target("a", status="skipped", reason=reason))


def one_is_wrong(reason):
    variants = dict.fromkeys(("baseline", "small", "fast", "short"), VariantResult())
    return target("a", status="failed-verification", path="a.py", reason=reason, variants=variants)


@pytest.mark.parametrize(
    ("made", "command"),
    [
        (run(target()), "perfproof report run abc123 --format html"),
        (run(target(), options={"effort": "final"}), "perfproof report run abc123 --format html"),
        (run(target(), target("b", status="skipped")), "perfproof report run abc123 --format html"),
        (run(target(warnings=[Warning(code="W104", text="x")])), "perfproof report run abc123 --format html"),
        (run(target(), options={"effort": "quick"}), "perfproof rerun abc123 --effort standard  # about 20 s"),
        (run(target(), options={"fast": True, "effort": "quick", "targets": ["my a.py"]}), "perfproof run 'my a.py'"),
        (run(target("a", UNDECIDED)), "perfproof rerun abc123 --effort final  # about 30 s"),
        (run(target("c:a", UNDECIDED), target()), "perfproof run c:a --effort final  # about 30 s"),
        (run(target("a", UNDECIDED, path="d/a.py"), target()), "perfproof run d/a.py --effort final  # about 30 s"),
        (
            run(target("a", UNDECIDED), machine=VIRTUAL),
            "perfproof rerun abc123 --effort final --allow load --allow virtual  # about 30 s, "
            "better on a quiet machine",
        ),
        (run(target("a", UNDECIDED), options={"effort": "final"}), "perfproof report run abc123 --format html"),
        (run(target("a", SHORT, warnings=ENDED), options={"budget": 40.0}), "perfproof rerun abc123 --budget 80s"),
        (  # 30 s, seven more launches of 6 s, and a fifth more
            run(
                target("a", ONE_LAUNCH, warnings=ENDED, seconds=30.0, spent={"verification": 20.0, "samples": 6.0}),
                options={"budget": 20.0},
            ),
            "perfproof rerun abc123 --budget 90s",
        ),
        (
            run(target("a", ONE_BLOCK, warnings=ENDED, seconds=150.0), options={"budget": 120.0, "ab": {"x": 1}}),
            "perfproof rerun abc123 --budget 1440s",
        ),
        (run(target("a", SHORT, warnings=ENDED), options={"timeout": 9.0}), "perfproof rerun abc123 --timeout 18s"),
        (run(target("c:a", SHORT, warnings=ENDED), target()), "perfproof run c:a --effort standard"),
        (run(target("a", warnings=ENDED)), "perfproof report run abc123 --format html"),
        (run(target(), CRASHED), "perfproof rerun abc123"),
        (
            run(target("a", status="crashed", path="a.py", reason="ValueError: 3 (b.py:4, in optimized)")),
            "edit b.py:4, then: perfproof run a.py",
        ),
        (run(target("c:a", status="crashed", path="c/a.py", reason="x (c/a.py:4, in f)")), "perfproof rerun abc123"),
        (
            run(target("a", status="failed-verification", path="a.py", reason="wrong answer: got 1 (seed 3, draw 1)")),
            "edit a.py, then: perfproof run a.py",
        ),
        (
            run(one_is_wrong("wrong answer: fast at timed sizes: got 1")),
            "edit a.py, then: perfproof run a.py",
        ),
        (
            run(one_is_wrong("wrong answer: baseline at timed sizes: got 1")),
            "edit a.py, then: perfproof run a.py",
        ),
        (run(target("a", MODES), machine=VIRTUAL), "perfproof rerun abc123  # when the machine is quiet"),
        (run(target("a", MODES)), "perfproof report run abc123 --format html"),
        (run(target("a", status="failed-verification")), "perfproof rerun abc123"),
        (run(target("a", status="timeout"), options={"timeout": 30.0}), "perfproof rerun abc123 --timeout 60s"),
        (skipped("needs triton: pip install 'perfproof[triton]'"), "pip install 'perfproof[triton]'"),
        (skipped("timing needs a GPU"), "perfproof doctor  # what this machine can measure"),
        (
            run(target("my_pair", status="refused", path="my_pair.py", reason="my_pair.py:7: no `reference`")),
            "edit my_pair.py:7, then: perfproof run my_pair.py",
        ),
        (
            run(target("my_pair", status="refused", path="my_pair.py", reason="no lesson")),
            "edit my_pair.py, then: perfproof run my_pair.py",
        ),
        (
            run(
                target(
                    "p: a against b", status="refused", path="p.py", reason="got a set (/tmp/perfproof-rev-x1/1/p.py:7)"
                ),
                options={"ab": "revisions"},
            ),
            "edit p.py:7, then: perfproof rerun abc123",
        ),
        (run(target("a", status="refused", reason="makes no sense")), "perfproof explain refused"),
        (run(target(), state="interrupted"), "perfproof rerun abc123"),
        (
            run(target(), options={"artifacts_dir": "my runs"}),
            "perfproof report run abc123 --format html --artifacts-dir 'my runs'",
        ),
    ],
)
def test_the_next_step_fits_the_result(made, command):
    assert next_command(made) == command


def ab(result, effort, **fields):
    command = ["perfproof", "ab", "./old", "./new", "--effort", effort]
    return run(result, options={"ab": {"a": "./old"}, "effort": effort}, command=command, **fields)


@pytest.mark.parametrize(
    ("made", "command"),
    [
        (ab(target(), "quick"), "perfproof rerun abc123 --effort standard  # about 20 s"),
        (ab(target(), "standard"), "perfproof report run abc123 --format html"),
        (ab(target("a", UNDECIDED), "standard"), "perfproof rerun abc123 --effort final  # about 30 s"),
        (
            ab(target("a", UNDECIDED), "standard", machine=VIRTUAL),
            "perfproof rerun abc123 --effort final --allow load --allow virtual  # about 30 s, "
            "better on a quiet machine",
        ),
        (ab(target("a", UNDECIDED), "final"), "perfproof report run abc123 --format html"),
        (ab(target(), "standard", state="interrupted"), "perfproof rerun abc123"),
        (ab(target("a", MODES), "standard", machine=VIRTUAL), "perfproof rerun abc123  # when the machine is quiet"),
        (ab(target("a", SHORT, warnings=ENDED), "standard"), "perfproof rerun abc123 --timeout 600s"),
        (ab(CRASHED, "standard"), "less artifacts/20250101T000000Z-tour-abc123/logs/a.log"),
    ],
)
def test_after_an_ab_more_effort_is_advised_only_if_it_can_tell_more(made, command):
    assert next_command(made) == command


def undecided(more, seconds, launches, rung="programs"):
    """Of `launches` blocks, with so many more to go."""
    needs = {"more_launches": more, "more_seconds": seconds}
    return target("a", judged("inconclusive", 1.02, 0.97, 1.07, launches=launches, rung=rung, **needs), seconds=8.0)


@pytest.mark.parametrize(
    ("made", "command"),
    [
        (ab(undecided(20, 24.0, 5), "quick"), "perfproof rerun abc123 --effort standard  # about 40 s"),
        (ab(undecided(30, 60.0, 5), "quick"), "perfproof rerun abc123 --effort final  # about 80 s"),
        (
            ab(undecided(117, 222.0, 5), "quick"),
            "perfproof rerun abc123 --effort standard  # when the machine is quiet",
        ),
        (ab(undecided(999, 9999.0, 32), "standard"), "perfproof rerun abc123" + QUIET),
        (run(undecided(30, 30.0, 8, "corrected")), "perfproof rerun abc123" + QUIET),
    ],
)
def test_an_effort_is_advised_only_if_it_has_as_many_launches_as_the_note_says(made, command):
    assert next_command(made) == command


def test_how_long_programs_take_is_counted_in_blocks():
    decided = target("a", judged(launches=5, rung="programs"), seconds=10.0)
    assert next_command(ab(decided, "quick")).endswith("--effort standard  # about 20 s to 60 s")


@pytest.mark.parametrize("verdict", ["indicative", "unstable"])
def test_samples_that_were_disturbed_call_for_a_quiet_machine(verdict):
    disturbed = judged(verdict, 1.03, None, None, quads=40, invalid_quads=40)
    made = run(target("a", disturbed, warnings=ENDED), options={"budget": 4.0})
    assert next_command(made).endswith("# when the machine is quiet")


def test_a_long_measurement_is_announced_in_minutes():
    assert next_command(run(target(seconds=90.0), options={"effort": "quick"})).endswith("# about 3 min")


def test_notes_are_shown_from_the_saved_run():
    assert notes_command(run(target())) == "perfproof report run abc123 --notes"


def test_an_interval_that_allows_for_what_was_not_measured_says_so_and_asks_for_time():
    left_out = Check(
        name="isolation", result="not-run", detail="no time to measure apart, so intervals are widened by 28.8 %"
    )
    made = run(target("mine", UNDECIDED, checks=[left_out]))
    assert "widened by 28.8 %" in target_rows(made.targets[0])[0].missing
    assert next_command(made).endswith("--timeout 600s")


def test_the_others_of_a_wrong_variant_can_be_measured():
    made = run(one_is_wrong("wrong answer: fast at timed sizes: got 1"))
    assert without_the_wrong_one(made) == ["without fast: perfproof run a.py --variant small --variant short"]
    quick = run(one_is_wrong("right at extremes: fast with values near 1 raises"), options={"effort": "quick"})
    assert without_the_wrong_one(quick)[0].endswith("--variant short --effort quick")
    assert not without_the_wrong_one(run(one_is_wrong("wrong answer: baseline at timed sizes: got 1")))
    assert not without_the_wrong_one(run(one_is_wrong("wrong answer: faster at timed sizes: got 1")))
    assert not without_the_wrong_one(run(target()))


def test_the_inputs_of_a_wrong_answer_can_be_had_again():
    wrong = one_is_wrong("wrong answer: fast at timed sizes: got 1")
    assert same_inputs(run(wrong, seed="ab")) == "the same inputs again: perfproof rerun abc123"
    of_functions = run(wrong, seed="ab", options={"functions": {"labels": ["f", "g"]}})
    assert same_inputs(of_functions) == 'the same inputs again: compare(..., seed="ab")'
    assert same_inputs(run(target(), seed="ab")) == ""
    assert same_inputs(run(wrong, seed="ab", options={"ab": {"a": "./one"}})) == "", "programs have inputs of their own"


def test_of_two_functions_the_file_of_the_wrong_one_is_named():
    files = {"b": FunctionSource(path="m.py", name="g", line=7)}
    wrong = one_is_wrong("wrong answer: g at timed sizes: got 1").model_copy(
        update={"path": "", "labels": {"baseline": "f", "b": "g"}, "functions": files}
    )
    wrong.variants = dict.fromkeys(("baseline", "b"), VariantResult())
    assert next_command(run(wrong, options={"ab": {"a": None}})) == "edit m.py:7, then: perfproof rerun abc123"
