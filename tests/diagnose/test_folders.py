"""What of a folder is looked at."""

import json

import pytest

from perfproof.core.errors import DocumentError
from perfproof.diagnose.folders import Told, files_of, main_file, recorded_command, told_of, unprofiled_beside
from perfproof.profile.profiling import ENDED


def record(folder, *captures):
    folder.mkdir(exist_ok=True)
    (folder / "profile.json").write_text(json.dumps({"captures": list(captures)}))
    for capture in captures:
        for name in capture.get("main_files", []):
            if "/" not in name:
                (folder / name).write_text("{}")
    (folder / "other.txt").write_text("x")


def test_a_record_names_the_files_and_the_time_without_a_profiler(tmp_path):
    record(tmp_path / "p", {"variant": "baseline", "main_files": ["t.json"], "calls": 20, "call_seconds": 0.001})
    found = files_of(tmp_path)
    assert [path.name for path in found.files] == ["t.json"] and found.recorded
    assert found.unprofiled_ns == pytest.approx(1e6)  # a call is a step
    assert unprofiled_beside(tmp_path / "p" / "t.json") == pytest.approx(1e6)
    assert unprofiled_beside(tmp_path / "p" / "other.json") is None


def test_a_record_names_the_command_that_was_profiled(tmp_path):
    record(tmp_path, {"variant": "", "main_files": ["t.json"]})
    assert main_file(tmp_path) == tmp_path / "t.json" and main_file(tmp_path / "t.json") == tmp_path / "t.json"
    assert recorded_command(tmp_path) == recorded_command(tmp_path / "t.json") == ""
    (tmp_path / "profile.json").write_text(json.dumps({"program": ["python", "my train.py"]}))
    assert recorded_command(tmp_path) == recorded_command(tmp_path / "t.json") == "python 'my train.py'"


def test_the_circumstances_of_a_recording_are_read_from_its_record(tmp_path):
    busy, ended = "other programs used 53 % of the CPU time", f"{ENDED}; --steps 0 records it to its end"
    capture = {"main_files": ["t.json"], "notes": [busy, ended, 3], "seconds": 5.0}
    record(tmp_path, capture)
    assert told_of(tmp_path) == told_of(tmp_path / "t.json") == Told((busy,), False)  # a pair, no program
    (tmp_path / "profile.json").write_text(json.dumps({"program": ["python", "a.py"], "captures": [capture]}))
    assert told_of(tmp_path) == told_of(tmp_path / "t.json") == Told((busy,), True)
    assert told_of(tmp_path / "other.txt") == Told()
    short = {"program": ["python", "a.py"], "captures": [{**capture, "notes": None}]}
    (tmp_path / "profile.json").write_text(json.dumps(short))
    assert told_of(tmp_path) == Told()


def test_two_captures_are_two_programs_and_one_has_to_be_chosen(tmp_path):
    record(tmp_path, {"variant": "baseline", "main_files": ["a.json"]}, {"variant": "tiled", "main_files": ["b.json"]})
    with pytest.raises(DocumentError, match=r"2 captures \(baseline, tiled\).*diagnose .*b\.json"):
        files_of(tmp_path)


def test_ranks_are_files_of_one_capture(tmp_path):
    record(tmp_path, {"variant": "", "main_files": ["rank0.json", "rank1.json"]}, {"variant": "x", "main_files": []})
    found = files_of(tmp_path)
    assert [path.name for path in found.files] == ["rank0.json", "rank1.json"] and found.unprofiled_ns is None


def test_telemetry_beside_a_capture_is_looked_at_too(tmp_path):
    listed = [{"name": name} for name in ("command.telemetry.jsonl", "gone.telemetry.jsonl", "../x.telemetry.jsonl", 3)]
    record(tmp_path, {"variant": "", "main_files": ["t.json"], "files": listed})
    (tmp_path / "command.telemetry.jsonl").write_text("{}")
    assert [path.name for path in files_of(tmp_path).files] == ["t.json", "command.telemetry.jsonl"]


def test_a_record_cannot_lead_out_of_its_folder(tmp_path):
    record(tmp_path, {"variant": "x", "main_files": ["../secret.json", "a.json"]})
    assert [path.name for path in files_of(tmp_path).files] == ["a.json"]


def test_without_a_record_every_file_is_a_candidate_down_to_a_depth(tmp_path):
    deep = tmp_path / "a" / "b" / "c" / "d"
    deep.mkdir(parents=True)
    (deep / "too_deep.json").write_text("{}")
    (tmp_path / "a" / "trace.json").write_text("{}")
    assert [path.name for path in files_of(tmp_path).files] == ["trace.json"]


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, '{"captures": 3}', "[]"])
def test_a_damaged_record_is_one_line_or_no_record(tmp_path, content):
    (tmp_path / "profile.json").write_text(content)
    try:
        assert files_of(tmp_path).files == []
    except DocumentError as error:
        assert "profile.json: cannot be read" in str(error) and "\n" not in str(error)


def test_captures_of_one_command_by_several_tools_belong_together(tmp_path):
    captures = [{"variant": "", "main_files": ["t.json"]}, {"variant": "counters", "main_files": ["n.csv"]}]
    record(tmp_path, *captures)
    (tmp_path / "profile.json").write_text(json.dumps({"program": ["python", "a.py"], "captures": captures}))
    assert [path.name for path in files_of(tmp_path).files] == ["t.json", "n.csv"]
    assert main_file(tmp_path).name == "t.json"
