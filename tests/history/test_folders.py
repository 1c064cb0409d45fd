"""Run folders: what is written can be found and read again."""

import gzip
import json
import math

import pytest

from perfproof.core.documents import Error, Run, TargetResult, VariantResult
from perfproof.core.errors import DocumentError, UsageError
from perfproof.history.folders import NAME, list_runs, load_run, open_run, run_id


def document(name="r", **fields):
    return Run(perfproof_version="0.1.0", run=name, started="2025-01-01T00:00:00Z", **fields)


@pytest.fixture
def saved(tmp_path):
    """Folders with a document, made at the given moments: saved("20250101T000000Z-tour-aaaaaa")."""

    def make(*names):
        for name in names:
            (tmp_path / name).mkdir()
            (tmp_path / name / "run.json").write_text(document(name).model_dump_json())
        return tmp_path

    return make


def test_a_folder_is_named_by_time_subject_and_an_id(tmp_path):
    folder = open_run(tmp_path / "artifacts", "ch01:Batched GEMM")
    match = NAME.fullmatch(folder.name)
    assert match and match["slug"] == "ch01-batched-gemm"
    assert folder.path.is_dir() and not list(folder.path.iterdir())


def test_two_runs_at_once_get_two_folders(tmp_path):
    assert len({open_run(tmp_path, "x").name for _ in range(20)}) == 20


def test_a_slug_of_nothing_usable_still_makes_a_name(tmp_path):
    assert NAME.fullmatch(open_run(tmp_path, "../…").name)["slug"] == "run"


def test_a_folder_that_cannot_be_made_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="--artifacts-dir"):
        open_run(tmp_path / "file" / "artifacts", "x")


def test_a_saved_run_reads_back(tmp_path):
    folder = open_run(tmp_path, "x")
    run = document(folder.name, targets=[TargetResult(target="ch01:x", status="ok", verdict="same")])
    folder.save(run)
    assert load_run(folder.path) == load_run(folder.path / "run.json") == run


def test_a_value_that_is_no_number_survives_as_strict_json(tmp_path):
    folder = open_run(tmp_path, "x")
    error = Error(rms_relative=math.nan, max_absolute=math.inf, of_tolerance=math.inf, calls_checked=1)
    target = TargetResult(target="t", status="failed-verification", variants={"optimized": VariantResult(error=error)})
    folder.save(document(targets=[target]))
    text = (folder.path / "run.json").read_text()

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    json.loads(text, parse_constant=refuse)
    read = load_run(folder.path).targets[0].variants["optimized"].error
    assert math.isnan(read.rms_relative) and read.of_tolerance == math.inf


def test_samples_are_one_object_a_line(tmp_path):
    folder = open_run(tmp_path, "x")
    rows = [{"launch": 0, "seconds": 0.1 + 0.2}, {"launch": 1, "seconds": 3e-9}]
    relative = folder.add_samples("ch01:x", rows)
    assert relative == "samples/ch01-x.jsonl.gz"
    lines = gzip.decompress((folder.path / relative).read_bytes()).decode().splitlines()
    assert [json.loads(line) for line in lines] == rows


def test_targets_whose_names_look_alike_keep_their_own_files(tmp_path):
    folder = open_run(tmp_path, "x")
    first, second = folder.add_log("a/b", "one"), folder.add_log("a:b", "two")
    assert first != second
    assert [(folder.path / name).read_text() for name in (first, second)] == ["one", "two"]
    assert folder.add_log("a/b", "again") == first


def test_a_name_cannot_leave_the_folder(tmp_path):
    folder = open_run(tmp_path, "x")
    relative = folder.add_log("../../escape", "x")
    assert (folder.path / relative).resolve().is_relative_to(folder.path.resolve())


def test_a_log_with_broken_characters_is_kept(tmp_path):
    folder = open_run(tmp_path, "x")
    assert (folder.path / folder.add_log("x", "a\udcffb")).read_text() == "a?b"


def test_any_text_can_be_written_beside_the_document(tmp_path):
    folder = open_run(tmp_path, "x")
    assert folder.write("report/run.md", "| a |").read_text() == "| a |"


A, B, C = "20250101T000000Z-tour-aaaaaa", "20250102T000000Z-tour-bbbbbb", "20250102T000000Z-ch01-abcdef"


def test_runs_are_listed_oldest_first_and_nothing_else_is(saved, tmp_path):
    parent = saved(B, A)
    (tmp_path / "20250103T000000Z-tour-cccccc").mkdir()  # no document yet
    (tmp_path / "notes").mkdir()
    assert [path.name for path in list_runs(parent)] == [A, B]
    assert list_runs(tmp_path / "nowhere") == []


def test_a_damaged_document_is_refused_with_its_path(saved):
    parent = saved(A)
    (parent / A / "run.json").write_text("{")
    with pytest.raises(DocumentError, match=A):
        load_run(parent / A)


def test_the_id_is_the_last_part_of_a_name():
    assert run_id(A) == "aaaaaa"
