"""`perfproof triage` from end to end: whatever the command does, an honest bundle, and no process left behind."""

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import time

import jsonschema
import psutil
import pytest

from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.schema import schema_text
from perfproof.triage import packing
from perfproof.triage.redaction import Leak

TROUBLE = """
import os, sys
if os.fork() == 0:  # a daemon: a session of its own, and a parent that is gone
    os.setsid()
    daemon = os.fork()
    if daemon == 0:
        os.execvp("sleep", ["sleep", "600"])
    with open(sys.argv[1], "a") as pids:
        pids.write(f"{daemon}\\n")
    os._exit(0)
os.wait()
print("tokens per second: 123.5")
print("my key is", os.environ["HF_TOKEN"])
sys.exit(3)
"""
DECORATED = """echo accuracy 0.5; echo '{"source": "import torch\\n@torch.compile\\n"}'"""
TOKEN = "hf_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"


@pytest.fixture(autouse=True)
def forked(warm_python):
    """How the command's interpreter starts is not the subject. What an interpreter of its own starts is no fork."""


def triage(*arguments, **options):
    command = [sys.executable, "-m", "perfproof", "triage", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, **options)


def bundle_in(folder):
    (archive,) = folder.glob("artifacts/triage/*.tgz")
    with tarfile.open(archive) as tar:
        members = {name.partition("/")[2]: tar.extractfile(name).read() for name in tar.getnames()}
    return archive, json.loads(members["manifest.json"]), members


def statuses(manifest):
    return {step["name"]: step["status"] for step in manifest["steps"]}


def gone(pid):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_a_command_that_fails_and_leaves_children_is_news_in_a_redacted_bundle(tmp_path):
    (tmp_path / "intake.yaml").write_text("goal: halve the step time\nkpi: tokens per second\n")
    done = triage(
        *("--only", "none", "--tool", "none", "--repeats", 2, "--tag", "bad", "--intake", "intake.yaml"),
        *("--metric", r"tps:higher=regex:per second: ([0-9.]+)"),
        *("--", sys.executable, "-c", TROUBLE, "pids"),
        cwd=tmp_path,
        env={**os.environ, "HF_TOKEN": TOKEN},
    )
    assert done.returncode == 0, done.stderr
    archive, manifest, members = bundle_in(tmp_path)
    jsonschema.validate(manifest, json.loads(schema_text("triage")))
    timing = json.loads(members["parsed/timing.json"])
    jsonschema.validate(timing, json.loads(schema_text("triage-timing")))
    assert [(run["exit_code"], run["left_behind"], run["metrics"]) for run in timing["runs"]] == [
        (3, 1, {"tps": 123.5})
    ] * 2
    assert statuses(manifest)["timing"] == "ok" and statuses(manifest)["profile"] == "not run"
    assert "exit code 3" in manifest["steps"][1]["why"] and "left 2 process(es)" in manifest["steps"][1]["why"]
    assert (manifest["goal"], manifest["kpi"]) == ("halve the step time", "tokens per second")
    assert all(gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())
    assert not any(TOKEN.encode() in data for data in members.values())
    assert TOKEN.encode() not in gzip.decompress(archive.read_bytes())
    assert f"\nnext: perfproof triage show {archive.relative_to(tmp_path)}" in done.stdout
    assert sorted(path.name for path in (tmp_path / "artifacts/triage").iterdir()) == [archive.stem, archive.name]


def test_a_command_that_writes_endlessly_is_ended_at_its_deadline_and_its_output_is_cut(tmp_path):
    endless = "echo $$ > pid; exec yes 'the same line again'"
    options = ("--only", "none", "--tool", "auto", "--budget", "8s", "--max-size", 0.1)
    done = triage(*options, "--", "sh", "-c", endless, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    _, manifest, members = bundle_in(tmp_path)
    timing = json.loads(members["parsed/timing.json"])
    (run,) = timing["runs"]
    assert run["late"] and run["exit_code"] is None and run["output_left_out_bytes"] > 0
    assert len(members["raw/timing/run-1.out"]) < 110_000
    assert statuses(manifest)["timing"] == "timed out"
    assert statuses(manifest)["profile"] == "not run"
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_run_beyond_its_timeout_is_ended_long_before_the_budget_is(tmp_path):
    """On a busy machine the command may be ended before it has begun: then it gets more time."""
    for seconds in (1, 20):
        folder = tmp_path / str(seconds)
        folder.mkdir()
        options = ("--only", "none", "--tool", "none", "--timeout", f"{seconds}s")
        done = triage(*options, "--", "sh", "-c", "echo $$ > pid.new; mv pid.new pid; exec sleep 600", cwd=folder)
        if (folder / "pid").exists():
            break
    assert done.returncode == 0, done.stderr
    _, manifest, members = bundle_in(folder)
    (run,) = json.loads(members["parsed/timing.json"])["runs"]
    assert run["late"] and statuses(manifest)["timing"] == "timed out" and manifest["options"]["timeout"] == seconds
    assert gone(int((folder / "pid").read_text()))


def test_a_timeout_beyond_the_budget_is_refused(tmp_path):
    refused = triage("--timeout", "2h", "--", "true", cwd=tmp_path)
    assert refused.returncode == 2 and "raise --budget" in refused.stderr and not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_still_packs_and_leaves_no_process(number, tmp_path):
    command = [sys.executable, "-m", "perfproof", "triage", "--only", "none", "--tool", "none", "--"]
    hang = ["sh", "-c", "echo $$ > pid.new; mv pid.new pid; exec sleep 600"]
    process = subprocess.Popen(
        [*command, *hang], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "pid").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    _, manifest, _ = bundle_in(tmp_path)
    assert manifest["state"] == "interrupted"
    assert statuses(manifest) == {"timing": "failed", "profile": "not run", "diagnosis": "not run"}
    assert "bundle: " in out
    assert gone(int((tmp_path / "pid").read_text()))


def test_snapshots_work_with_no_tool_on_the_path_and_every_file_has_its_hash(tmp_path):
    only = ("identity", "processor", "software", "storage_network", "gpu")
    done = triage("--only", ",".join(only), cwd=tmp_path, env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    _, manifest, members = bundle_in(tmp_path)
    found = statuses(manifest)
    assert {found[name] for name in only if name != "gpu"} == {"ok"}
    asked = [one for step in manifest["steps"] for one in step["commands"] if one["arguments"][0] != "read"]
    assert asked and {one["status"] for one in asked} == {"absent"}
    assert all(one["why"].endswith("is not on the PATH") and not one["output"] for one in asked)
    assert json.loads(members["parsed/cpu.json"])["cpu"]["cores_logical"] > 0
    hashes = {file["path"]: file["sha256"] for file in manifest["files"]}
    own = members.pop("manifest.json")
    assert own and hashes == {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    assert {"report.md", "report.html", "parsed/host.json"} <= set(hashes)


def test_show_diff_and_ab_read_what_was_packed(tmp_path, perfproof):
    for tag in ("a", "b"):
        metric = ("--metric", "accuracy:higher=regex:accuracy ([0-9.]+)")
        done = perfproof(
            *("triage", "--only", "identity" if tag == "a" else "none", "--tool", "none", "--repeats", 5, "--tag", tag),
            *(*metric, "--", "sh", "-c", DECORATED),
        )
        assert done.code == 0, done.err
    a, b = (next((tmp_path / "artifacts/triage").glob(f"*-{tag}-*.tgz")) for tag in "ab")
    shown = perfproof("triage", "show", a)
    assert "The command, unprofiled" in shown.out and "accuracy 0.5" in shown.out
    assert len(shown.out.splitlines()) <= 40 and "How it was collected" not in shown.out
    assert "How it was collected" in perfproof("triage", "show", a, "--full").out
    host = json.loads(perfproof("triage", "show", a, "--json").out)["parsed"]["host"]
    jsonschema.validate(host, json.loads(schema_text("triage-host")))
    differs = perfproof("triage", "diff", a, b)
    assert differs.code == 0 and "host.json" in differs.out
    document = json.loads(perfproof("triage", "diff", a, b, "--json").out)
    jsonschema.validate(document, json.loads(schema_text("triage-diff")))
    assert {"what": "host.json", "a": "recorded", "b": "–"}.items() <= document["differences"][-1].items()
    table = json.loads(perfproof("triage", "ab", a, b, "--json").out)
    jsonschema.validate(table, json.loads(schema_text("triage-ab")))
    found = {row["what"]: row for row in table["rows"]}
    assert found["accuracy"]["ratio"] == 1.0 and found["wall time"]["low"] < found["wall time"]["high"]
    assert "not measured" in perfproof("triage", "ab", a, b).out


def test_a_run_of_ab_becomes_the_table_to_return(tmp_path, perfproof):
    judged = RatioResult(verdict="faster", ratio=1.5, low=1.4, high=1.6, clock="wall")
    target = TargetResult(target="ab", status="ok", verdict="faster", ratios={"b": judged})
    (tmp_path / "run.json").write_text(
        Run(perfproof_version="0", run="r", started="x", targets=[target]).model_dump_json()
    )
    done = perfproof("triage", "ab", "run.json")
    assert done.code == 0 and "1.500 [1.400, 1.600]" in done.out and "ratio a/b" in done.out


def test_a_bundle_that_was_not_redacted_says_so(tmp_path, perfproof):
    done = perfproof("triage", "--only", "identity", "--no-redact")
    assert done.code == 0 and "NOT redacted" in done.out
    _, manifest, _ = bundle_in(tmp_path)
    assert manifest["redacted"] is False and manifest["redactions"] == {}


def test_a_leak_in_the_finished_archive_fails_closed(tmp_path, perfproof, monkeypatch):
    monkeypatch.setattr(packing, "scan_archive", lambda *_: [Leak("raw/x", "aws-key")])
    done = perfproof("triage", "--only", "identity")
    assert done.code == 1
    assert done.err.count("\n") == 1 and "no bundle was written" in done.err and "raw/x: aws-key" in done.err
    assert list((tmp_path / "artifacts/triage").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--", "no-such-program"], "no-such-program"),
        (["--"], "no command after --"),
        (["--tool", "gdb"], "choose auto"),
        (["--only", "nothing"], "identity"),
        (["--budget", "0"], "no time"),
        (["--tag", "../x"], "no part of a file's name"),
        (["--intake", "missing.yaml"], "perfproof intake new"),
        (["show", "missing.tgz"], "no such bundle"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_started(arguments, said, perfproof, tmp_path):
    done = perfproof("triage", *arguments)
    assert done.code == 2
    assert said in done.err and done.err.count("\n") == 1
    assert list(tmp_path.rglob("*")) == []
