"""`perfproof diagnose` from end to end: files in, ranked findings out."""

import json
import random
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

from perfproof.core.diagnosis import Diagnosis
from perfproof.core.schema import schema_text

RECORDED = Path(__file__).parents[2] / "profile" / "recorded"


def waiting_trace(name="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
    """Five steps of a millisecond; 60 % of each goes by in the loader."""

    def event(kind, name, start, length):
        return {"ph": "X", "cat": kind, "name": name, "ts": start, "dur": length, "pid": 1, "tid": 1}

    events = []
    for base in range(0, 5000, 1000):
        events.append(event("user_annotation", f"ProfilerStep#{base // 1000}", base, 1000))
        events.append(event("user_annotation", name, base, 600))
        events.append(event("cpu_op", "aten::mm", base + 600, 400))
    return {"traceEvents": events}


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(waiting_trace()))
    return path


def test_the_bottleneck_is_named_with_its_evidence_and_the_next_command(perfproof, trace):
    done = perfproof("diagnose", trace)
    assert done.code == 0 and done.err == ""
    assert "1. the step waits for its input: up to 60 % of the step; confidence high [input_bound]" in done.out
    assert "3 steps of 1.00 ms (ProfilerStep ranges, the first and the last left out)" in done.out
    assert "try       perfproof ab 'COMMAND' 'THE CHANGED PROGRAM'" in done.out and "wrong if" in done.out
    assert (
        re.search(r"rules could not look \(\d+ need a GPU's trace or counters\): --all", done.out)
        and "gpu_idle" not in done.out
    )
    everything = perfproof("diagnose", trace, "--all").out
    assert "for want of:" in everything and "gpu_idle" in everything and "found nothing" in everything


def test_the_newest_profile_is_found_by_that_word_and_its_command_stands_in_the_experiment(perfproof, trace):
    missing = perfproof("diagnose", "latest")
    assert missing.code == 5 and "perfproof profile -- COMMAND" in missing.err and missing.err.count("\n") == 1
    for day in (1, 2):
        folder = Path(f"artifacts/profiles/2025010{day}T000000Z-train-00000{day}")
        folder.mkdir(parents=True)
        record = {"program": ["python", f"train{day}.py"], "captures": [{"main_files": ["trace.json"]}]}
        (folder / "profile.json").write_text(json.dumps(record))
        (folder / "trace.json").write_text(trace.read_text())
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    Path("train1.py").write_text("")
    for words in (["init", "-q"], ["add", "train1.py"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    assert "perfproof ab 'python train2.py' 'python train2_new.py'" in perfproof("diagnose", "latest").out
    assert "perfproof ab 'python train1.py' --rev HEAD" in perfproof("diagnose", "000001").out
    assert perfproof("view", "latest", "--json").code == 0


def test_a_gate_fails_on_a_finding_that_is_sure_enough_and_only_then(perfproof, trace, tmp_path):
    done = perfproof("diagnose", trace, "--gate", "high")
    assert done.code == 1 and "input_bound" in done.out
    quick = tmp_path / "quick.json"
    quick.write_text(json.dumps(waiting_trace("train")))
    assert perfproof("diagnose", quick, "--gate", "high").code == 0
    assert perfproof("diagnose", trace, "--gate", "surely").code == 2


def test_a_gate_that_no_rule_could_look_through_is_no_pass(perfproof, tmp_path):
    (tmp_path / "stat.txt").write_text(" Performance counter stats for 'true':\n\n   3      page-faults\n")
    done = perfproof("diagnose", tmp_path / "stat.txt", "--gate", "low")
    assert done.code == 3 and "no rule could look" in done.err


def test_the_document_fits_its_schema_and_can_be_read_back(perfproof, trace):
    done = perfproof("diagnose", trace, "--json", "--unprofiled-step", "0.5")
    document = json.loads(done.out)
    jsonschema.validate(document, json.loads(schema_text("diagnosis")))
    found = Diagnosis.model_validate(document)
    assert "input_bound" in {one.rule for one in found.findings} and found.unprofiled_step_seconds == 0.0005
    assert [one.found for one in found.steps] == [5] and found.inputs[0].what == "trace (kineto)"


def test_counters_and_a_trace_are_read_together(perfproof, trace):
    found = Diagnosis.model_validate_json(
        perfproof("diagnose", trace, RECORDED / "h200_thirty_kernels.csv", "--json").out
    )
    assert {"input_bound", "memory_bound"} <= {one.rule for one in found.findings}


def test_markdown_and_a_page_say_the_same(perfproof, trace, tmp_path):
    done = perfproof("diagnose", trace, "--markdown", "--html", tmp_path / "page.html")
    assert "| 1 | the step waits for its input | up to 60 % of the step | high |" in done.out
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "up to 60 % of the step" in page and "http:" not in page
    assert ">One step<" in page and ">Flame graph<" in page and page.count("<svg") >= 2


def test_the_suffix_of_the_file_chooses_the_format(perfproof, trace, tmp_path):
    perfproof("diagnose", trace, "--html", tmp_path / "old.html")
    assert perfproof("diagnose", trace, "-o", tmp_path / "new.html").out == f"{tmp_path / 'new.html'}\n"
    old, new = (re.sub(r"\d\d:\d\d:\d\dZ", "", (tmp_path / name).read_text()) for name in ("old.html", "new.html"))
    assert new.strip() == old.strip()
    perfproof("diagnose", trace, "-o", tmp_path / "new.md")
    assert (tmp_path / "new.md").read_text() == perfproof("diagnose", trace, "--markdown").out
    assert perfproof("diagnose", trace, "--format", "md").out == perfproof("diagnose", trace, "--markdown").out


def test_a_hostile_name_reaches_neither_terminal_nor_page(perfproof, tmp_path):
    path = tmp_path / "evil.json"
    path.write_text(json.dumps(waiting_trace("next_batch <script>alert(1)</script>\u001b[2J | # \ud800")))
    page = tmp_path / "page.html"
    for more in ((), ("--markdown",), ("--json",)):
        done = perfproof("diagnose", path, "--html", page, *more)
        assert done.code == 0 and "\u001b" not in done.out, done.err
    assert "<script>" not in page.read_text() and "&lt;script&gt;" in page.read_text()


def test_a_healthy_program_is_said_to_have_no_bottleneck_and_who_did_not_look(perfproof, tmp_path):
    path = tmp_path / "quiet.json"
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::relu", "ts": 0, "dur": 1000, "pid": 1, "tid": 1}
    path.write_text(json.dumps({"traceEvents": [event]}))
    done = perfproof("diagnose", path)
    assert done.code == 0 and "no bottleneck found by the rules that could look" in done.out
    assert "looked and found nothing: " in done.out


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "is empty"), (b"\x00\x01rubbish", "no profile"), (b'{"traceEvents": [', "trace"), (b"PK\3\4zip", "unpack")],
)
def test_a_damaged_or_foreign_file_ends_in_one_line(perfproof, tmp_path, content, why):
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    done = perfproof("diagnose", path)
    assert done.code == 2 and done.out == "" and done.err.count("\n") == 1
    assert "broken.json" in done.err and why in done.err and "a bug in perfproof" not in done.err


def test_damage_anywhere_in_a_trace_is_never_a_crash(perfproof, trace):
    whole = bytearray(trace.read_bytes())
    dice = random.Random(6)
    for _ in range(40):
        damaged = bytearray(whole)
        for _ in range(dice.randrange(1, 6)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        trace.write_bytes(damaged[: dice.randrange(1, len(damaged) + 1)])
        done = perfproof("diagnose", trace)
        assert done.code in (0, 2) and "a bug in perfproof" not in done.err, done.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--json", "--markdown"), "choose one"),
        (("--unprofiled-step", "0"), "above 0"),
        (("--unprofiled-step", "inf"), "above 0"),
        (("--html", "nowhere/page.html"), "its folder does not exist"),
    ],
)
def test_options_that_make_no_sense_are_refused(perfproof, trace, arguments, why):
    done = perfproof("diagnose", trace, *arguments)
    assert done.code == 2 and why in done.err and done.err.count("\n") == 1


def test_without_a_file_it_says_how_to_call_it(perfproof):
    assert perfproof("diagnose").code == 2
