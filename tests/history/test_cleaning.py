"""Cleaning removes what perfproof made, and nothing else: each test is a thing that must survive, or must go."""

import json
import os
import time

import pytest

from perfproof.core.documents import Run
from perfproof.history.cleaning import plan_clean, remove

DAY = 86400.0
OLD, MIDDLE, NEW = (f"2025010{day}T000000Z-tour-{day}{day}{day}aaa" for day in (1, 2, 3))
NOW = 1735948800.0  # 2025-01-04T00:00:00Z


@pytest.fixture
def runs(tmp_path):
    for name in (OLD, MIDDLE, NEW):
        make_run(tmp_path, name)
    return tmp_path


def make_run(parent, name, state="finished", age=10 * DAY):
    folder = parent / name
    folder.mkdir()
    run = Run(perfproof_version="0.1.0", run=name, started="2025-01-01T00:00:00Z", state=state)
    (folder / "run.json").write_text(run.model_dump_json())
    (folder / "samples").mkdir()
    (folder / "samples" / "x.jsonl.gz").write_bytes(b"x" * 1000)
    os.utime(folder / "run.json", (time.time() - age, time.time() - age))
    return folder


def names(found):
    return [one.path.name for one in found]


def test_everything_of_ours_goes_oldest_first(runs):
    found = plan_clean(runs)
    assert names(found) == [OLD, MIDDLE, NEW]
    assert all(one.bytes > 1000 for one in found)
    remove(found)
    assert list(runs.iterdir()) == []


def test_the_newest_are_kept(runs):
    assert names(plan_clean(runs, keep=1)) == [OLD, MIDDLE]
    assert plan_clean(runs, keep=3) == plan_clean(runs, keep=9) == []


def test_profiles_go_as_runs_do_and_each_keeps_its_newest(tmp_path):
    for parent, document in ((tmp_path, "run.json"), (tmp_path / "profiles", "profile.json")):
        for day in (1, 2, 3):
            folder = parent / f"2026010{day}T000000Z-x-00000{day}"
            folder.mkdir(parents=True)
            (folder / document).write_text('{"perfproof_version": "1"}')
    found = [(one.path.name[:8], one.what) for one in plan_clean(tmp_path, keep=2)]
    assert sorted(found) == [("20260101", "profile"), ("20260101", "run")]
    remove(plan_clean(tmp_path))
    assert [path.name for path in tmp_path.rglob("*")] == ["profiles"]


def test_only_what_is_older_goes(runs):
    assert names(plan_clean(runs, older_than=2.5 * DAY, now=NOW)) == [OLD]
    assert names(plan_clean(runs, keep=3, older_than=2.5 * DAY, now=NOW)) == []


def test_planning_removes_nothing(runs):
    plan_clean(runs)
    assert len(list(runs.iterdir())) == 3


def test_what_is_not_ours_stays(runs):
    (runs / "notes.txt").write_text("mine")
    (runs / "my-results").mkdir()
    (runs / "my-results" / "run.json").write_text('{"perfproof_version": "0.1.0"}')  # renamed: kept on purpose
    strange = runs / "20250101T000000Z-tour-ffffff"
    strange.mkdir()
    (strange / "run.json").write_text('{"made": "by another program"}')
    half = runs / "20250101T000000Z-tour-eeeeee"
    half.mkdir()
    (half / "thesis.tex").write_text("mine")
    remove(plan_clean(runs))
    assert sorted(path.name for path in runs.iterdir()) == sorted(["notes.txt", "my-results", strange.name, half.name])


def test_links_are_never_followed(runs, tmp_path_factory):
    outside = make_run(tmp_path_factory.mktemp("outside"), OLD)
    (runs / "20250101T000000Z-link-abcdef").symlink_to(outside)
    (runs / OLD / "elsewhere").symlink_to(outside)
    found = plan_clean(runs)
    assert "20250101T000000Z-link-abcdef" not in names(found)
    assert found[0].bytes < 2000, "what a link points to is not counted"
    remove(found)
    assert (outside / "run.json").is_file() and (outside / "samples" / "x.jsonl.gz").is_file()


def test_a_folder_that_became_a_link_after_planning_is_not_followed(runs, tmp_path_factory):
    found = plan_clean(runs)
    outside = tmp_path_factory.mktemp("outside")
    (runs / NEW).rename(outside / NEW)
    (runs / NEW).symlink_to(outside / NEW)
    remove(found)
    assert (outside / NEW / "run.json").is_file()


def test_a_run_in_progress_stays_and_one_killed_long_ago_goes(tmp_path):
    make_run(tmp_path, NEW, state="running", age=60)
    make_run(tmp_path, OLD, state="running", age=2 * 3600)
    assert names(plan_clean(tmp_path)) == [OLD]


def test_empty_leftovers_of_ours_go_once_they_are_old(tmp_path):
    for name, old in ((OLD, True), (NEW, False)):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".run.json.abc123").write_text("{")
        if old:
            os.utime(tmp_path / name, (1, 1))
    assert [(one.path.name, one.what) for one in plan_clean(tmp_path)] == [(OLD, "empty")]


def test_a_folder_that_is_not_there_has_nothing_to_clean(tmp_path):
    assert plan_clean(tmp_path / "nowhere") == []


def test_old_bundles_go_by_their_age_and_the_newest_stay(runs):
    folder = runs / "triage"
    folder.mkdir()
    made = [
        folder / f"triage-2025010{day}T000000Z-{tag}abcde{day}.tgz" for day, tag in ((1, ""), (2, "smoke-"), (3, ""))
    ]
    others = [folder / name for name in ("triage-notes.tgz", "triage-20250101T000000Z-abcde1.txt", "mine.tgz")]
    for path in (*made, *others):
        path.write_bytes(b"x" * 100)
    (folder / "triage-20250101T000000Z-abcde9.tgz").symlink_to(others[0])
    for path, name in ((made[0], made[0].stem), (made[1], "another")):
        path.with_suffix("").mkdir()
        (path.with_suffix("") / "manifest.json").write_text(json.dumps({"name": name}))
    found = plan_clean(runs, keep=1, now=NOW)
    assert names(found) == [OLD, made[0].name, MIDDLE, made[1].name]
    assert [one.what for one in plan_clean(runs, older_than=2.5 * DAY, now=NOW)] == ["run", "bundle"]
    remove(found)
    assert made[2].exists() and all(path.exists() for path in others) and not made[0].exists() and not made[1].exists()
    assert not made[0].with_suffix("").exists() and made[1].with_suffix("").exists()
