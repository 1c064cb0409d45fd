"""The compiler's log: asked for in a run of its own, and summarised."""

import sys

import pytest

from perfproof.triage import session
from perfproof.triage.compile_run import take_compile_log
from perfproof.triage.session import TriageOptions

LINE = (
    "V1115 10:35:20.123000 1234 torch/_dynamo/guards.py:4000] [0/1] [__recompiles] "
    "Recompiling function f in /data/train.py:2"
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def take(code):
        options = TriageOptions(command=(sys.executable, "-c", code), output_root=tmp_path / "out")
        made = session.begin(options, lambda line: None)
        take_compile_log(made)
        return made.steps[0]

    return take


def test_recompiles_are_counted_and_the_variable_is_set(run):
    step = run(f"import os, sys; os.environ['TORCH_LOGS'] == 'graph_breaks,recompiles' and sys.stderr.write({LINE!r})")
    assert (step.status, step.parsed) == ("ok", "parsed/compile.json")
    assert "1 recompile" in step.why and "0 graph breaks" in step.why
    assert step.commands[0].arguments[0] == "TORCH_LOGS=graph_breaks,recompiles"


def test_a_command_that_fails_and_logs_nothing_is_told(run):
    step = run("raise SystemExit(4)")
    assert step.status == "ok" and "ended with 4" in step.why and "0 graph breaks" in step.why
