"""perfproof's own commands as steps: a document, a refusal, a hang and nonsense each get their status."""

import json
import sys
from pathlib import Path

import pytest

from perfproof.triage import own_commands, session
from perfproof.triage.own_commands import diagnose, measure_ceilings, profile_command
from perfproof.triage.session import TriageOptions


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """fake("print(1)"): every command of perfproof runs this script; gives a session."""
    monkeypatch.chdir(tmp_path)

    def make(script, **options):
        path = tmp_path / "fake.py"
        path.write_text(script)
        monkeypatch.setattr(own_commands, "PERFPROOF", (sys.executable, str(path)))
        return session.begin(
            TriageOptions(command=("train",), output_root=tmp_path / "out", **options), lambda line: None
        )

    return make


def test_a_document_is_kept_and_its_command_is_recorded_without_our_private_folder(fake):
    made = fake("import sys, json; print(json.dumps({'said': sys.argv[1:]})); print('news', file=sys.stderr)")
    measure_ceilings(made)
    (step,) = made.steps
    assert (step.name, step.status, step.parsed) == ("ceilings", "ok", "parsed/ceilings.json")
    assert json.loads((made.folder / step.parsed).read_text())["said"][:2] == ["peak", "--quick"]
    assert step.commands[0].arguments[:2] == ["perfproof", "peak"]
    assert (made.folder / step.commands[0].output).read_text() == "news\n"


@pytest.mark.parametrize(
    ("script", "status", "why"),
    [
        ("import sys; sys.exit('perfproof: No such command')", "failed", "No such command"),
        ("import sys; print('no such option', file=sys.stderr); sys.exit(2)", "absent", "no such option"),
        ("print('[1, 2]')", "failed", "[1, 2]"),
        ("print('{')", "failed", "{"),
    ],
)
def test_what_is_no_document_is_told(fake, script, status, why):
    made = fake(script)
    measure_ceilings(made)
    assert made.steps[0].status == status and why in made.steps[0].why and not made.steps[0].parsed


def test_a_command_that_hangs_is_timed_out(fake):
    made = fake("import time; time.sleep(600)", budget=1.5)
    measure_ceilings(made)
    assert made.steps[0].status == "timed out"


def test_a_step_for_which_there_is_no_time_is_not_run(fake):
    made = fake("print('{}')", budget=1e-6)
    measure_ceilings(made)
    assert (made.steps[0].status, made.steps[0].why) == ("not run", "the budget was used up")


def test_a_profile_leaves_time_for_its_diagnosis(fake):
    made = fake("print('{}')", budget=100)
    profile_command(made)
    assert 0 < made.steps[0].deadline_seconds <= 0.7 * 80


def test_the_profile_of_a_long_job_may_take_longer_than_the_job(fake):
    made = fake("print('{}')", budget=5 * 3600, timeout=3600)
    profile_command(made)
    arguments = made.steps[0].commands[0].arguments
    assert float(arguments[arguments.index("--timeout") + 1]) > 3600 and made.steps[0].deadline_seconds == 7200


@pytest.mark.parametrize(
    ("word", "status"), [("ok", "ok"), ("denied", "denied"), ("timeout", "timed out"), ("x", "failed")]
)
def test_the_status_of_a_profile_is_that_of_its_capture(fake, word, status):
    record = {"captures": [{"status": word, "why": "because"}]}
    made = fake(f"print({json.dumps(record)!r})", tool="torch")
    profile_command(made)
    assert (made.steps[0].status, made.steps[0].why) == (status, "because")
    arguments = made.steps[0].commands[0].arguments
    assert arguments[-2:] == ["--", "train"] and "BUNDLE/raw/profile" in arguments


@pytest.mark.parametrize("tool", ["none", "dmon"])
def test_no_profiler_is_run_where_none_is_wanted(fake, tool):
    made = fake("raise SystemExit(1)", tool=tool)
    profile_command(made)
    assert made.steps[0].status == "not run" and f"--tool {tool}" in made.steps[0].why


def test_what_was_recorded_is_diagnosed(fake):
    made = fake("import sys, json; print(json.dumps({'files': sys.argv[3:]}))")
    diagnose(made)
    assert made.steps[0].status == "not run"
    made.write("raw/timing/telemetry.jsonl", "x")
    made.write("raw/profile/profiles/one/profile.json", "{}")
    diagnose(made)
    files = json.loads((made.folder / "parsed/diagnosis.json").read_text())["files"]
    assert [Path(file).name for file in files] == ["telemetry.jsonl", "one"]
