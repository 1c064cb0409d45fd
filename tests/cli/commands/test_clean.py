"""`perfproof clean`: says what goes, and a dry run changes nothing."""

import json
from pathlib import Path

import pytest


def folders():
    return [path for path in Path("artifacts").iterdir() if path.is_dir()]


def test_a_dry_run_lists_and_removes_nothing(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    (folder,) = folders()
    shown = perfproof("clean", "--all", "--dry-run")
    assert str(folder) in shown.out and "would remove 1 folder, " in shown.out
    assert folder.is_dir()


def test_run_folders_go_and_other_things_stay(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    Path("artifacts/notes.txt").write_text("mine")
    done = perfproof("clean", "--all")
    assert done.code == 0 and "removed 1 folder, " in done.out and "KiB" in done.out
    assert folders() == [] and Path("artifacts/notes.txt").read_text() == "mine"


def test_the_newest_can_be_kept(perfproof, pair_files, fake_bench):
    files = pair_files("a")
    for _ in range(3):
        perfproof("run", *files)
    assert "removed 2 folders" in perfproof("clean", "--keep", "1").out
    assert len(folders()) == 1


def test_young_runs_can_be_kept(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    assert "removed 0 folders, 0 B" in perfproof("clean", "--older-than", "7d").out
    assert perfproof("clean", "--older-than", "a week").code == 2


def test_nothing_there_is_nothing_to_do(perfproof):
    done = perfproof("clean", "--all")
    assert (done.code, done.out) == (0, "removed 0 folders, 0 B\n")
    assert perfproof("clean").code == 0


@pytest.mark.parametrize(("options", "code"), [((), 2), (("--dry-run",), 0), (("--json",), 2)])
def test_without_a_rule_nothing_goes(perfproof, pair_files, fake_bench, options, code):
    perfproof("run", *pair_files("a"))
    (folder,) = folders()
    done = perfproof("clean", *options)
    assert done.code == code and folder.is_dir() and (folder / "run.json").is_file()


def test_without_a_rule_it_says_what_each_would_free(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    shown = perfproof("clean").out
    assert "nothing was removed" in shown
    said = {line.split()[2]: line for line in shown.splitlines() if "perfproof clean" in line}
    assert "1 folder, " in said["--all"] and "0 folders" in said["--keep"] and "0 folders" in said["--older-than"]


def test_all_is_all_and_takes_no_second_rule(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    refused = perfproof("clean", "--all", "--keep", "5")
    assert refused.code == 2 and "--keep" in refused.err and len(folders()) == 1
    assert perfproof("clean", "--keep", "0").code == 0 and folders() == []


def test_a_rule_may_stand_in_the_settings(perfproof, pair_files, fake_bench):
    Path("pyproject.toml").write_text("[tool.perfproof.clean]\nkeep = 1\n")
    files = pair_files("a")
    for _ in range(2):
        perfproof("run", *files)
    assert "removed 1 folder" in perfproof("clean").out and len(folders()) == 1


def test_what_went_as_json(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    (folder,) = folders()
    planned = json.loads(perfproof("clean", "--all", "--dry-run", "--json").out)
    assert not planned["removed"] and folder.is_dir()
    done = json.loads(perfproof("clean", "--all", "--json").out)
    assert done == planned | {"removed": True} and not folder.exists()
    assert [(one["path"], one["what"]) for one in done["folders"]] == [(str(folder), "run")]
    assert done["bytes"] == done["folders"][0]["bytes"] > 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["clean"],
        ["dashboard", "--host", "0.0.0.0", "--token", "short"],
        ["report", "index"],
        ["history", "query", "select 1"],
        ["run", "ch01"],
        ["roofline"],
    ],
)
def test_a_file_in_the_place_of_the_folder_is_refused_by_every_command(perfproof, arguments):
    Path("file").write_text("mine")
    refused = perfproof(*arguments, "--artifacts-dir", "file")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("perfproof: --artifacts-dir file: is no folder") and refused.err.count("\n") == 1


def record(folder):
    days = {"body": {"days": [{"run": folder.name}]}}
    Path("expectations").mkdir(exist_ok=True)
    Path("expectations/xeon-2c.json").write_text(json.dumps({"targets": days}))


def test_a_recorded_run_stays_unless_all_goes_and_it_is_said(perfproof, pair_files, fake_bench):
    for _ in range(2):
        perfproof("run", *pair_files("a"))
    recorded, _ = sorted(folders())
    record(recorded)
    kept = perfproof("clean", "--keep", "0")
    assert folders() == [recorded] and "kept 1 run recorded in expectations" in kept.err and "--all" in kept.err
    done = perfproof("clean", "--all")
    assert folders() == [] and "removed 1 run recorded in expectations" in done.err


def test_the_index_forgets_what_was_removed_and_nothing_else(perfproof, pair_files, fake_bench):
    for _ in range(2):
        perfproof("run", *pair_files("a"))
    older, newer = sorted(folders(), key=lambda one: (one / "run.json").stat().st_mtime_ns)
    assert older.name[-6:] in perfproof("history").out
    perfproof("clean", "--keep", "1", "--dry-run")
    assert older.name[-6:] in perfproof("history").out
    (gone,) = {older, newer} - ({older, newer} & set(folders())) if perfproof("clean", "--keep", "1").code == 0 else ()
    listed = perfproof("history").out
    assert gone.name[-6:] not in listed and folders()[0].name[-6:] in listed


def test_without_an_index_clean_makes_none(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    perfproof("clean", "--all")
    assert not Path("artifacts/history.db").exists()
