"""The index is what the folders say: whole, the same however often it is built, without what is gone."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from perfproof.history.index import tables
from perfproof.history.index.reading import newest_runs, results_of
from perfproof.history.index.rebuilding import catch_up, index_folder, index_of, reindex, without_damage
from perfproof.history.index.store import open_store
from perfproof.history.kept_imports import keep_import

RECORDED = Path(__file__).parents[1] / "imports" / "recorded"
KILLS = Path(__file__).parents[3] / "benchmarks" / "history_kills.py"


def content(store):
    kept = (tables.runs, tables.results, tables.environment)
    return [store.read(lambda c, t=table: sorted(map(repr, c.execute(select(t)).all()))) for table in kept]


def test_a_rebuild_has_every_run_and_is_always_the_same(store, runs, tmp_path):
    runs.nights(tmp_path / "a", nights=5)
    keep_import(tmp_path / "a", RECORDED / "asv-0.6.6.json", None, None, ["nightly"])
    done = reindex(store, tmp_path / "a", prune=True)
    assert (done.runs, done.targets, done.skipped) == (6, 13, [])
    first = content(store)
    reindex(store, tmp_path / "a", prune=True)
    assert content(store) == first and len(first[0]) == 6 and len(first[1]) == 13


def test_what_a_run_was_is_in_its_rows(store, runs, tmp_path):
    folder = runs.one(tmp_path / "a", 3, [runs.target("ch01:x", 2.5, 1e-3), {"target": "y", "status": "crashed"}])
    index_folder(store, folder)
    (run,) = newest_runs(store, 5)
    assert run["run"] == folder.name and run["kind"] == "xeon-2c" and run["results"] == 2 and run["dirty"] is False
    good, bad = results_of(store, folder.name)
    assert good["ratio"] == 2.5 and good["low"] == 2.5 * 0.99 and good["baseline_seconds"] == 1e-3
    assert good["variant"] == "optimized" and json.loads(good["sizes"]) == {"rows": 4}
    assert bad["status"] == "crashed" and bad["ratio"] is None and bad["variant"] == ""


def test_a_run_that_is_indexed_again_takes_its_own_place(store, runs, tmp_path):
    folder = runs.one(tmp_path / "a", targets=[runs.target("x"), runs.target("y")])
    index_folder(store, folder)
    raw = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(raw | {"targets": raw["targets"][:1]}))
    index_folder(store, folder)
    assert [row["target"] for row in results_of(store, folder.name)] == ["x"]


def test_a_run_in_progress_is_read_again_until_it_is_finished(store, runs, tmp_path):
    folder = runs.one(tmp_path / "a", state="running")
    assert catch_up(store, tmp_path / "a").runs == 1
    raw = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(raw | {"state": "finished"}))
    assert catch_up(store, tmp_path / "a").runs == 1
    assert catch_up(store, tmp_path / "a").runs == 0


def test_only_a_pruned_rebuild_forgets_what_is_gone(store, runs, tmp_path):
    gone = runs.one(tmp_path / "a", 1)
    runs.one(tmp_path / "a", 2)
    reindex(store, tmp_path / "a", prune=True)
    shutil.rmtree(gone)
    assert reindex(store, tmp_path / "a", prune=False).forgotten == 0 and len(newest_runs(store, 9)) == 2
    assert reindex(store, tmp_path / "a", prune=True).forgotten == 1 and len(newest_runs(store, 9)) == 1
    assert all(gone.name not in row for table in content(store) for row in table)


def test_a_document_that_is_none_is_skipped_and_said(store, runs, tmp_path):
    runs.one(tmp_path / "a", 1)
    for number, text in enumerate(("{", "[]", '{"schema_version": 1}', '{"schema_version": 7}', "null")):
        runs.one(tmp_path / "a", 10 + number).joinpath("run.json").write_text(text)
    done = reindex(store, tmp_path / "a", prune=True)
    assert done.runs == 1 and len(done.skipped) == 5
    assert any("newer perfproof: schema version 7" in why for why in done.skipped)


def test_strange_texts_and_numbers_are_kept_as_far_as_a_database_can(store, runs, tmp_path):
    odd = runs.target("a\0b \ud800 '; drop table runs; --")
    odd["ratios"]["optimized"] |= {"ratio": "NaN", "low": "-Infinity", "launches": "many"}
    index_folder(store, runs.one(tmp_path / "a", targets=[odd, odd]))
    rows = results_of(store, newest_runs(store, 1)[0]["run"])
    assert len(rows) == 2 and rows[0]["ratio"] is None and rows[0]["launches"] is None
    assert rows[0]["target"] == "a\\0b \\ud800 '; drop table runs; --"


def test_a_copied_folder_is_another_run(store, runs, tmp_path):
    first = runs.one(tmp_path / "a", 1)
    shutil.copytree(first, first.with_name(first.name.replace("-000001", "-00000f")))
    assert reindex(store, tmp_path / "a", prune=True).runs == 2 and len(newest_runs(store, 9)) == 2


def test_a_damaged_index_beside_the_runs_is_removed_and_a_sound_one_is_not(tmp_path):
    place = Path(index_of(tmp_path / "a", None))
    assert not without_damage(tmp_path / "a")
    open_store(place).close()
    assert not without_damage(tmp_path / "a") and place.is_file()
    place.write_bytes(b"x" * 5000)
    assert without_damage(tmp_path / "a") and not place.exists()


def test_damage_that_the_database_only_reports_is_damage_too(runs, tmp_path):
    """A page in the middle: the file opens and answers, and the check of it returns what is wrong as a row."""
    runs.nights(tmp_path / "a")
    place = Path(index_of(tmp_path / "a", None))
    with open_store(place) as store:
        reindex(store, tmp_path / "a", prune=True)
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'results'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with place.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
    assert without_damage(tmp_path / "a") and not place.exists()
    with open_store(place) as store:
        assert reindex(store, tmp_path / "a", prune=True).runs == 32 and len(newest_runs(store, 99)) == 32


def test_kill_9_during_save_index_reindex_and_report_loses_nothing_that_was_finished():
    done = subprocess.run([sys.executable, KILLS, "--kills", "5"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["save", "index", "reindex", "report"]
