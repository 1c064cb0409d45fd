"""`perfproof continuous`: measured entry by entry, resumed after a kill, an alert file only while there is an alert."""

import json
import math
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from perfproof.app import continuous
from perfproof.cli.app import command_files, main
from perfproof.core.continuous import Alerts, ContinuousState
from tests.report.sample_runs import judged, run, target
from tests.web.sample_site import name_of, save

PLAN = {
    "name": "nightly",
    "tags": ["all"],
    "entries": [
        {"name": "first", "targets": ["ch01"], "effort": "quick", "at_least": {"ch01:batched_gemm": 2.0}},
        {"name": "second", "targets": ["ch02"], "budget": "5m", "tags": ["slow"]},
    ],
}
DOCS = Path(__file__).parents[3] / "docs" / "continuous.md"


@pytest.fixture
def plan(tmp_path):
    """Writes the plan; plan(budget="1s") with other fields."""

    def write(**fields):
        path = tmp_path / "plan.yaml"
        path.write_text(yaml.safe_dump(PLAN | fields))
        return path

    return write


@pytest.fixture
def measuring(monkeypatch, tmp_path):
    """Every call saves a run with `ratios[entry's first target]`, as `perfproof run` would; `calls` keeps the words."""

    class Fake:
        def __init__(self):
            self.calls, self.ratios, self.verdicts, self.codes, self.day = [], {}, {}, {}, 0

        def __call__(self, words):
            self.calls.append(words)
            chapter = words[1]
            code = self.codes.get(chapter, 0)
            if isinstance(code, BaseException):
                raise code
            self.day += 1
            ratio = self.ratios.get(chapter, 3.0)
            verdict = self.verdicts.get(chapter, "faster")
            name = "batched_gemm" if chapter == "ch01" else "cache_blocking"
            result = target(f"{chapter}:{name}", judged(verdict, ratio, ratio * 0.99, ratio * 1.01))
            saved = save(tmp_path / "artifacts", run(result), name_of(self.day, chapter))
            return code, {"run": saved}

    fake = Fake()
    monkeypatch.setattr(continuous, "_call", fake)
    return fake


def state_of(tmp_path):
    return ContinuousState.model_validate_json((tmp_path / "artifacts/continuous/nightly/state.json").read_text())


def alert_file(tmp_path):
    return tmp_path / "artifacts/continuous/nightly/alert.json"


def test_every_entry_becomes_its_command_and_nothing_is_alarming(perfproof, plan, measuring, tmp_path):
    done = perfproof("continuous", plan())
    assert done.code == 0, done.err
    assert measuring.calls == [
        ["run", "ch01", "--effort", "quick", "--artifacts-dir", "artifacts", "--json"],
        ["run", "ch02", "--budget", "5m", "--artifacts-dir", "artifacts", "--json"],
    ]
    assert "round 1: 2 entries, no alert" in done.out and not alert_file(tmp_path).exists()
    state = state_of(tmp_path)
    assert state.finished and state.done["first"].words == {"ch01:batched_gemm optimized": "faster"}


def test_a_changed_verdict_is_an_alert_and_no_failure_and_goes_away_again(perfproof, plan, measuring, tmp_path):
    assert perfproof("continuous", plan()).code == 0
    measuring.verdicts["ch02"] = "same"
    done = perfproof("continuous", plan(), "--json")
    assert done.code == 0
    alerts = Alerts.model_validate_json(done.out)
    assert alerts == Alerts.model_validate_json(alert_file(tmp_path).read_text())
    (alert,) = alerts.alerts
    assert alert.what == "verdict changed" and alert.entry == "second" and alert.target == "ch02:cache_blocking"
    assert alert.text == "ch02:cache_blocking optimized: faster before, same now" and alerts.tags == ["all", "slow"]
    assert perfproof("continuous", plan()).code == 0
    assert not alert_file(tmp_path).exists(), "the same verdict again is no news"


def test_a_ratio_surely_below_its_gate_fails_and_one_that_reaches_it_does_not(perfproof, plan, measuring, tmp_path):
    measuring.ratios["ch01"] = 1.985
    assert perfproof("continuous", plan()).code == 0, "the interval reaches 2x"
    measuring.ratios["ch01"] = 1.5
    failed = perfproof("continuous", plan())
    assert failed.code == 1
    assert "gate failed: ch01:batched_gemm: 1.5x [1.485, 1.515], at least 2x is wanted" in failed.out


def test_a_gate_without_a_result_fails(perfproof, plan, measuring):
    entries = [PLAN["entries"][0] | {"at_least": {"ch01:nothing": 1.0}}]
    failed = perfproof("continuous", plan(entries=entries))
    assert failed.code == 1 and "ch01:nothing: no ratio" in failed.out


def test_an_entry_that_gives_no_document_is_an_alert_and_the_others_go_on(perfproof, plan, measuring, monkeypatch):
    real = measuring.__call__
    monkeypatch.setattr(continuous, "_call", lambda words: (5, None) if words[1] == "ch01" else real(words))
    failed = perfproof("continuous", plan())
    assert failed.code == 5 and "no result: no result: perfproof ended with 5" in failed.out
    assert [words[1] for words in measuring.calls] == ["ch02"]


def test_expectations_are_a_gate_that_names_what_regressed(perfproof, plan, measuring, monkeypatch):
    real = measuring.__call__
    outcome = {"target": "ch01:batched_gemm", "variant": "optimized", "outcome": "regression", "reason": "0.8x"}

    def verify(words):
        assert words[0] == "verify"
        return 1, {"run": real(words)[1]["run"], "outcomes": [outcome, outcome | {"outcome": "same"}]}

    monkeypatch.setattr(continuous, "_call", verify)
    failed = perfproof("continuous", plan(entries=[{"name": "gate", "targets": ["ch01"], "gate": "expectations"}]))
    assert failed.code == 1
    assert failed.out.count("gate failed") == 1 and "batched_gemm optimized: regression, 0.8x" in failed.out


def test_a_step_in_the_history_is_an_alert_once(perfproof, plan, measuring, tmp_path):
    entries = [{"name": "first", "targets": ["ch01"]}]
    alarms, chance = [], random.Random(1)
    for night in range(20):
        measuring.ratios["ch01"] = (3.0 if night < 10 else 2.4) * math.exp(chance.gauss(0, 0.005))
        done = perfproof("continuous", plan(entries=entries), "--json")
        assert done.code == 0, done.err
        alarms += [one.text for one in Alerts.model_validate_json(done.out).alerts]
    assert len(alarms) == 1, alarms
    assert "step -20" in alarms[0] and "ch01:batched_gemm" in alarms[0]
    assert "on xeon-2c, no sizes; clock call, at 2025" in alarms[0], "sizes and clock tell which of its series it is"


def test_a_stopped_entry_is_measured_again_and_finished_ones_are_not(perfproof, plan, measuring, tmp_path):
    measuring.codes["ch02"] = continuous.Interrupted("it was stopped")
    assert perfproof("continuous", plan()).code == 130
    assert state_of(tmp_path).finished is None and list(state_of(tmp_path).done) == ["first"]
    shown = perfproof("continuous", plan(), "--dry-run").out
    assert "done    first: perfproof run ch01" in shown and "to do   second: perfproof run ch02" in shown
    measuring.codes.clear()
    done = perfproof("continuous", plan())
    assert done.code == 0 and "first: done already" in done.err
    assert [words[1] for words in measuring.calls] == ["ch01", "ch02", "ch02"]


def test_a_changed_plan_and_restart_begin_a_new_round(perfproof, plan, measuring, tmp_path):
    measuring.codes["ch02"] = continuous.Interrupted("it was stopped")
    perfproof("continuous", plan())
    perfproof("continuous", plan(), "--restart")
    perfproof("continuous", plan(budget="3h"))
    assert [words[1] for words in measuring.calls] == ["ch01", "ch02"] * 3
    assert state_of(tmp_path).round == 3


def test_a_used_up_budget_leaves_the_rest_for_the_next_call(perfproof, plan, measuring, monkeypatch):
    moments = iter([0.0, 0.0, 100.0, 200.0, 200.0])
    monkeypatch.setattr(continuous.time, "monotonic", lambda: next(moments))
    path = plan(budget="1m")
    first = perfproof("continuous", path)
    assert first.code == 0 and "the budget is used up" in first.err and "alert" not in first.out
    assert perfproof("continuous", path).code == 0
    assert [words[1] for words in measuring.calls] == ["ch01", "ch02"]


def test_tags_choose(perfproof, plan, measuring):
    assert perfproof("continuous", plan(), "--tag", "slow").code == 0
    assert [words[1] for words in measuring.calls] == ["ch02"]
    refused = perfproof("continuous", plan(), "--tag", "fast")
    assert refused.code == 5 and "there are all, slow" in refused.err


def test_two_calls_at_once_are_refused(perfproof, plan, measuring, tmp_path):
    folder = tmp_path / "artifacts/continuous/nightly"
    with continuous._alone(folder):
        refused = perfproof("continuous", plan())
    assert refused.code == 2 and "being measured already" in refused.err and not measuring.calls


BLOCKING = """
import sys, time
from perfproof.app import continuous
from perfproof.cli.app import main
from perfproof.core.continuous import Done

def measured(entry, artifacts_dir):
    print(entry.name, flush=True)
    if entry.name == "second" and sys.argv[2] == "block":
        time.sleep(600)
    return Done(run="", started="", exit_code=0, words={"x": "faster"})

continuous.measured = measured
sys.exit(main(["continuous", sys.argv[1]]))
"""


def test_kill_9_loses_nothing_that_was_finished(plan, tmp_path):
    path = plan()
    first = subprocess.Popen(
        [sys.executable, "-c", BLOCKING, path, "block"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert [first.stdout.readline().strip() for _ in range(2)] == ["first", "second"]
    first.send_signal(signal.SIGKILL)
    first.wait()
    first.stdout.close()
    again = subprocess.run(
        [sys.executable, "-c", BLOCKING, path, "go"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert again.stdout.splitlines()[0] == "second" and "first: done already" in again.stderr
    assert state_of(tmp_path).round == 1 and set(state_of(tmp_path).done) == {"first", "second"}


def test_the_real_command_is_called_and_its_run_is_read(perfproof, pair_files, tmp_path):
    """End to end; the pair needs what no machine has, so that nothing has to be measured for it."""
    (name,) = pair_files("mine")
    with (tmp_path / name).open("a") as file:
        file.write('\nneeds = dict(packages=["no_such_package"])\n')
    entry = {"name": "one", "targets": [name], "fast": True, "budget": "1m", "at_least": {"mine": 1.1}}
    (tmp_path / "plan.json").write_text(json.dumps({"name": "own", "entries": [entry]}))
    done = perfproof("continuous", "plan.json")
    assert done.code == 1, done.err
    assert "gate failed: mine: no ratio, at least 1.1x is wanted" in done.out
    state = ContinuousState.model_validate_json((tmp_path / "artifacts/continuous/own/state.json").read_text())
    assert state.done["one"].words == {"mine": "skipped"}
    assert (tmp_path / "artifacts" / state.done["one"].run / "run.json").is_file()


def test_a_stopped_command_is_no_result(monkeypatch, tmp_path):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nkill -TERM $$\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(continuous.Interrupted, match="goes on with it"):
        continuous._call(["run"])


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_documentation_are_plans_schedules_and_commands_that_exist(tmp_path):
    plans, schedules, steps = [], [], []
    for text in blocks("yaml"):
        if isinstance(yaml.safe_load(text), list):
            steps += yaml.safe_load(text)
        else:
            (schedules if "jobs:" in text else plans).append(text)
    assert plans and schedules and blocks("cron")
    for number, text in enumerate(plans):
        path = tmp_path / f"{number}.yaml"
        path.write_text(text)
        assert main(["continuous", str(path), "--dry-run", "--artifacts-dir", str(tmp_path)]) == 0
    commands = []
    for text in schedules:
        workflow = yaml.safe_load(text)
        assert True in workflow, "YAML reads the key `on` as true, and so does GitHub"
        steps += [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands += [step["run"] for step in steps if "perfproof" in step.get("run", "")]
    commands += blocks("cron")
    verbs = {verb for text in commands for verb in re.findall(r"perfproof ([a-z]+) ", text)}
    assert "continuous" in verbs and verbs <= set(command_files())
