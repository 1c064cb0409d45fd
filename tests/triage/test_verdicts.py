"""Verdicts: a sick node comes first, what was not judged is no good news, and the next step is a command."""

import pytest

from perfproof.cli.show.triage import shown
from perfproof.core.triage import TriageStep
from perfproof.triage.verdicts import next_steps, verdicts

FINDING = {
    "title": "idle GPU",
    "share": 0.31,
    "confidence": "high",
    "advice": "feed it",
    "experiment": "perfproof run ch05:prefetch",
    "evidence": [{"text": "the GPU waits 31 % of the step"}],
}


def check(result="fail", severity="sick", **changed):
    values = dict(part="GPU 0", name="PCIe width", seen="8", expected="16", advice="reseat the card")
    return {"result": result, "severity": severity, **values, **changed}


def words(bundle):
    return [(one.word, one.tone) for one in verdicts(bundle)]


def test_a_sick_node_comes_first_and_its_repair_is_the_first_thing_to_do(make_bundle):
    made = make_bundle(walls=(1.0, 1.0), health={"checks": [check()]}, diagnosis={"findings": [FINDING]})
    assert words(made)[0] == ("sick node", "bad")
    assert "1 symptom)" in verdicts(made)[0].claim
    assert [one.do for one in next_steps(made)][:2] == ["reseat the card", "perfproof run ch05:prefetch"]


@pytest.mark.parametrize(
    ("line", "tone"),
    [
        ("[3.2] NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', GPU has fallen off the bus.", "bad"),
        ("[3.2] NVRM: Xid (PCI:0000:17:00): 31, pid=7, MMU Fault", "unsure"),
        ("[9.1] Out of memory: Killed process 999 (python)", "unsure"),
    ],
)
def test_the_kernels_log_is_heard(make_bundle, line, tone):
    assert words(make_bundle(checklist={"kernel_news": [line]}))[0][1] == tone


def test_what_the_kernel_repeats_is_said_once_with_its_count(make_bundle):
    lines = ["[ 817.77] NVRM: failed", "[ 818.04] NVRM: failed", "2026-11-15T13:54:34,123456+00:00 other"]
    assert verdicts(make_bundle(checklist={"kernel_news": lines}))[0].because == (
        "kernel log: NVRM: failed (2 times)",
        "kernel log: other",
    )


def test_a_profile_that_there_was_no_time_to_read_is_the_next_thing_to_read(make_bundle):
    made = make_bundle(walls=(1.0, 1.0), profile={"captures": []})
    assert next_steps(made)[0].do.startswith("perfproof diagnose ")
    assert "raw/profile" in next_steps(made)[0].do


def test_of_one_run_nothing_is_said_about_spread(make_bundle):
    (claim,) = [one.claim for one in verdicts(make_bundle(walls=(1.5,))) if one.word == "command"]
    assert claim == "one run of 1.50 s: how much runs differ is unknown"


def test_a_healthy_node_says_how_many_checks_could_not_be_made(make_bundle):
    made = make_bundle(health={"checks": [check("pass"), check("not-run")]})
    assert "1 checks passed, 1 could not be made" in verdicts(made)[0].claim
    assert words(make_bundle()) == [("node", "null")]


@pytest.mark.parametrize(
    ("walls", "changed", "word", "tone"),
    [
        ((1.0, 1.01, 1.02), {}, "command", "good"),
        ((1.0, 1.5, 1.1), {}, "noisy", "unsure"),
        ((1.0, 1.0), {"exit_code": 3}, "command", "bad"),
        ((1.0, 1.0), {"late": True, "exit_code": None}, "command", "bad"),
    ],
)
def test_how_the_command_went(make_bundle, walls, changed, word, tone):
    made = make_bundle(walls=walls)
    made.parsed["timing"]["runs"][-1] |= changed
    assert (word, tone) in words(made)


def test_a_bottleneck_is_named_with_its_evidence(make_bundle):
    made = make_bundle(walls=(1.0,), diagnosis={"findings": [FINDING]})
    (found,) = [one for one in verdicts(made) if one.word == "bottleneck"]
    assert found.claim == "Idle GPU (could save at most 31.0 %, confidence high)"
    assert found.because[0] == "the GPU waits 31 % of the step"


def test_no_diagnosis_is_no_good_news(make_bundle):
    for documents in ({}, {"diagnosis": {"findings": []}}):
        assert ("bottleneck", "null") in words(make_bundle(walls=(1.0,), **documents))


def test_what_is_missing_from_the_bundle_is_said(make_bundle):
    made = make_bundle()
    made.manifest.steps.append(TriageStep(name="ceilings", status="timed out", why="late", deadline_seconds=1))
    made.manifest.left_out["raw/big.json"] = "larger than --max-size: 7 bytes"
    (found,) = [one for one in verdicts(made) if one.word == "incomplete"]
    assert found.because == ("ceilings: timed out: late", "left out: raw/big.json: larger than --max-size: 7 bytes")


def test_without_a_command_the_next_step_is_to_give_one(make_bundle):
    assert [one.do for one in next_steps(make_bundle())] == ["perfproof triage -- your-command"]


def test_a_bundle_fits_a_terminal_unless_all_of_it_is_asked_for(make_bundle):
    checks = [check(severity="watch", name=f"check {at}") for at in range(20)]
    rows = [{"group": "profilers", "name": f"tool {at}", "state": "absent"} for at in range(30)]
    made = make_bundle(walls=(1.0,) * 20, health={"checks": checks}, can={"rows": rows})
    assert len(shown(made).splitlines()) <= 40 and "17 more: --full" in shown(made)
    assert "check 19" in shown(made, full=True) and "tool 29" in shown(made, full=True)


def failing(code=1, lines=("ValueError: no data", "Traceback (most recent call last):")):
    run = {
        "seconds": 1.0,
        "cpu_seconds": 1.0,
        "late": False,
        "exit_code": code,
        "last_lines": list(lines),
        "metrics": {},
    }
    return {"runs": [{**run, "peak_bytes": 1 << 20}]}


def test_the_own_error_of_a_failing_command_comes_first(make_bundle):
    made = make_bundle(walls=(1.0,), health={"checks": [check()]})
    made.parsed["timing"] = failing()
    first = verdicts(made)[0]
    assert (first.word, first.tone) == ("command", "bad") and first.because[0] == "ValueError: no data"


@pytest.mark.parametrize(("code", "said"), [(-11, "SIGSEGV"), (-9, "SIGKILL"), (137, "SIGKILL"), (3, "exit code 3")])
def test_a_signal_is_called_by_its_name(make_bundle, code, said):
    made = make_bundle(walls=(1.0,))
    made.parsed["timing"] = failing(code)
    assert said in verdicts(made)[0].claim


def test_a_run_that_crashed_gets_no_advice_on_speed(make_bundle):
    made = make_bundle(walls=(1.0,), diagnosis={"findings": [FINDING]})
    made.parsed["timing"] = failing()
    assert "feed it" not in shown(made, full=True) and "ch05:prefetch" not in shown(made, full=True)
    assert next_steps(made)[0].do == "train"


def test_the_next_step_is_the_users_own_command(make_bundle):
    finding = {**FINDING, "experiment": "perfproof profile --tool ncu -- python train.py"}
    made = make_bundle(walls=(1.0, 1.0), diagnosis={"findings": [finding]})
    made.manifest.command = ["python", "my job.py"]
    steps = [one.do for one in next_steps(made)]
    assert "perfproof profile --tool ncu -- python 'my job.py'" in steps
    assert "perfproof triage --tag after -- python 'my job.py'" in steps


def ceilings(fp32, bf16):
    return {
        "ceilings": [{"name": f"gemm/{name}/4096", "value": value} for name, value in (("fp32", fp32), ("bf16", bf16))]
    }


@pytest.mark.parametrize(("bf16", "advised"), [(5e9, False), (4e12, True)])
@pytest.mark.parametrize("document", ["ceilings", "precision"])
def test_bfloat16_is_advised_only_where_it_is_faster(make_bundle, bf16, advised, document):
    finding = {**FINDING, "title": "wide numbers", "advice": "autocast to bfloat16"}
    made = make_bundle(walls=(1.0, 1.0), diagnosis={"findings": [finding]}, **{document: ceilings(1e12, bf16)})
    assert ("bfloat16" in shown(made, full=True)) is advised


@pytest.mark.parametrize(("startup", "said"), [(3.0, "75 %"), (0.1, None), (None, None)])
def test_start_up_is_told_apart_from_the_steady_state(make_bundle, startup, said):
    made = make_bundle(walls=(4.0, 4.0))
    for run in made.parsed["timing"]["runs"]:
        run["startup_seconds"] = startup
    claims = [one.claim for one in verdicts(made) if one.word == "start-up"]
    assert (claims == []) if said is None else (said in claims[0])
