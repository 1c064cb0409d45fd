"""Damaged files: whatever happens to the bytes of a profile, it is shown or refused in one line, and nothing else."""

import gzip
import json
import pickle
import random
from pathlib import Path

import pytest

from perfproof.app.view import facts, summary, title_of, view_file
from perfproof.cli.commands.view import _page
from perfproof.core.errors import PerfproofError
from tests.report.page_reader import Page
from tests.report.sample_profiles import gpu_trace

RECORDED = Path(__file__).parents[1] / "profile" / "recorded_torch"
ENTRY = {"action": "alloc", "addr": 1, "size": 64, "stream": 0, "time_us": 5, "frames": [{"name": "f", "line": 1}]}
SNAPSHOT = {"segments": [{"device": 0, "total_size": 64, "blocks": []}], "device_traces": [[ENTRY] * 3]}
CONTENTS = {
    "trace.json": json.dumps(gpu_trace(2)).encode(),
    "memory.json": gzip.decompress((RECORDED / "memory_trace.json.gz").read_bytes())[:60_000],
    "stacks.txt": (RECORDED / "py_spy.txt").read_bytes(),
    "compile.log": (RECORDED / "torch_trace.log").read_bytes(),
    "logs.txt": (RECORDED / "torch_logs.txt").read_bytes(),
    "memory.pickle": pickle.dumps(SNAPSHOT),
}


def damaged(content: bytes, random: random.Random) -> bytes:
    """Cut off, with bytes replaced, or with a piece doubled."""
    way = random.randrange(3)
    if way == 0:
        return content[: random.randrange(len(content))]
    if way == 1:
        changed = bytearray(content)
        for _ in range(random.randint(1, 12)):
            changed[random.randrange(len(changed))] = random.choice(b'0{}[]",;:-\x00\xffe9 ')
        return bytes(changed)
    at = random.randrange(len(content))
    return content[:at] + content[at : at + 200] * 2 + content[at + 200 :]


@pytest.mark.parametrize("name", CONTENTS)
def test_a_damaged_file_is_shown_or_refused(tmp_path, name):
    chance = random.Random(name)
    path = tmp_path / name
    for _ in range(12):
        path.write_bytes(damaged(CONTENTS[name], chance))
        try:
            viewed = view_file(path)
            Page(_page(viewed))
            json.dumps(summary(viewed), allow_nan=False)
        except PerfproofError as error:
            assert str(path) in str(error) and "\n" not in str(error)


def test_the_facts_name_the_file_and_what_it_is(tmp_path):
    path = tmp_path / "trace.json"
    path.write_bytes(CONTENTS["trace.json"])
    assert facts(view_file(path)) == [
        ("file", "trace.json"),
        ("kind", "kineto"),
        ("events", "28 over 5.90 ms"),
        ("kernels", "6"),
        ("diagnosis", f"perfproof diagnose {path} --html diagnosis.html"),
    ]
    assert title_of(view_file(path)) == "trace.json"


BUSY = "other programs used 50 % of the CPU time before this one began: its times are longer than on a quiet machine"
RECORD = {
    "perfproof_version": "0.1.0",
    "started": "2026-11-20T00:41:14Z",
    "program": ["/usr/bin/python3", "-u", "/home/me/train.py", "--items", "160"],
    "device": "cpu",
    "asked_tool": "auto",
    "tool": "torch",
    "preset": "minimal",
    "captures": [
        {"tool": "torch", "status": "ok", "main_files": ["command.trace.json"], "notes": ["the rest", BUSY]},
    ],
}


def recorded(folder, record):
    path = folder / "command.trace.json"
    path.write_bytes(CONTENTS["trace.json"])
    (folder / "profile.json").write_text(record if isinstance(record, str) else json.dumps(record))
    return path


def test_a_recorded_profile_is_called_after_its_program_moment_and_machine(tmp_path):
    viewed = view_file(recorded(tmp_path, RECORD))
    title = "train.py --items 160, 20 November 2026 00:41:14 UTC, cpu"
    page = Page(_page(viewed))
    assert page.find("title")[0].text == f"{title} – perfproof"
    assert page.one("h1").text == title == summary(viewed)["title"]
    assert dict(facts(viewed))["diagnosis"] == f"perfproof diagnose {tmp_path} --html diagnosis.html"
    assert dict(facts(viewed))["command"] == "/usr/bin/python3 -u /home/me/train.py --items 160"
    assert summary(viewed)["warnings"][0] == BUSY and BUSY in page.find("ul", **{"class": "warnings"})[0].text


def test_the_sides_of_a_pair_are_told_apart(tmp_path):
    sides = [
        {"tool": "torch", "status": "ok", "variant": "baseline", "main_files": ["other.trace.json"]},
        {"tool": "torch", "status": "ok", "variant": "fused", "main_files": ["command.trace.json"]},
    ]
    path = recorded(tmp_path, RECORD | {"program": [], "target": "ch01:sums", "captures": sides})
    assert title_of(view_file(path)).startswith("ch01:sums fused, 20 November")
    assert dict(facts(view_file(path)))["diagnosis"] == f"perfproof diagnose {path} --html diagnosis.html"


@pytest.mark.parametrize(
    "record", ["", "{", "[1]", '{"captures": 3}', json.dumps(RECORD | {"captures": []}), "[" * 100_000]
)
def test_a_record_that_does_not_speak_of_the_file_is_left_alone(tmp_path, record):
    assert title_of(view_file(recorded(tmp_path, record))) == "command.trace.json"


def test_a_title_from_a_record_is_text_and_hides_secrets(tmp_path):
    attack = ["python", "</title><script>alert(1)</script>", "hf_" + "a1B2" * 9]
    text = _page(view_file(recorded(tmp_path, RECORD | {"program": attack})))
    assert "<script>alert" not in text and "hf_a1B2" not in text
    assert "script" in Page(text).one("h1").text


def test_the_json_of_readings_and_counters_has_what_the_page_shows(tmp_path):
    smi = tmp_path / "gpu.csv"
    smi.write_text(
        "timestamp, index, power.draw [W]\n2025/03/21 02:06:50.642, 0, 38 W\n2025/03/21 02:06:51.642, 0, 40 W\n"
    )
    found = summary(view_file(smi))
    assert found["series"]["gpu0.power.draw"] == {"unit": "W", "readings": 2, "lowest": 38, "median": 39, "highest": 40}
    stat = tmp_path / "stat.txt"
    stat.write_text(" Performance counter stats for 'true':\n\n   1,234      page-faults\n")
    assert summary(view_file(stat))["counters"] == {"page-faults": 1234.0}


def test_the_json_of_a_trace_has_its_device_work_by_time(tmp_path):
    roc = tmp_path / "kernels.csv"
    roc.write_text('"Kernel_Name","Start_Timestamp","End_Timestamp"\n"add",0,4000\n"mul",4000,5000\n"add",5000,7000\n')
    assert summary(view_file(roc))["device_work"] == [
        {"name": "add", "count": 2, "seconds": 6e-6},
        {"name": "mul", "count": 1, "seconds": 1e-6},
    ]
