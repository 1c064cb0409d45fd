"""Every question of a step is recorded: answered, absent, denied, timed out or failed; nothing said is no file."""

import json

import pytest

from perfproof.machine import kernel_files
from perfproof.triage.evidence import Evidence


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Small programs of our own, and nothing else, on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def add(name, script):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    return add


@pytest.fixture
def evidence(tmp_path):
    return Evidence("step", tmp_path / "bundle")


def test_an_answer_is_kept_as_it_came(tools, evidence):
    tools("lscpu", "echo '{}'")
    assert evidence.ask("lscpu", "-J", keep="lscpu.json").ok
    (command,) = evidence.commands
    assert (command.status, command.exit_code, command.output) == ("ok", 0, "raw/step/lscpu.json")
    assert (evidence.folder / command.output).read_text() == "{}\n"


def test_a_tool_that_is_missing_is_a_recorded_fact_and_no_file(tools, evidence):
    evidence.ask("mpstat", "1")
    (command,) = evidence.commands
    assert (command.status, command.why, command.output) == ("absent", "mpstat is not on the PATH", "")
    assert not (evidence.folder / "raw").exists()


@pytest.mark.parametrize(
    ("script", "status", "seconds"),
    [
        ("echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1", "denied", 60.0),
        ("echo 'something broke' >&2; exit 3", "failed", 60.0),
        ("exec /bin/sleep 600", "timed out", 0.3),
    ],
)
def test_a_tool_that_does_not_answer_is_told_apart(tools, evidence, script, status, seconds):
    tools("tool", script)
    evidence.ask("tool", seconds=seconds)
    assert evidence.commands[0].status == status and evidence.commands[0].why


def test_a_file_that_is_not_there_is_recorded(tmp_path, monkeypatch, evidence):
    monkeypatch.setattr(kernel_files, "ROOT", tmp_path)
    assert evidence.read("/proc/none", keep="none.txt") is None
    assert [(one.arguments, one.status) for one in evidence.commands] == [(["read", "/proc/none"], "absent")]


def test_a_step_that_is_ended_leaves_its_record_so_far(tools, evidence):
    evidence.ask("mpstat")
    record = json.loads((evidence.folder / "steps" / "step.json").read_text())
    assert record["status"] == "failed" and record["why"] == "the step did not come to its end"
    assert record["commands"][0]["arguments"] == ["mpstat"]
