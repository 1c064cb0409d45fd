"""Runs in memory: each read once, found again when something changes, and never from outside the folder."""

import shutil

import pytest

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.web import catalogue
from perfproof.web.catalogue import Catalogue
from tests.report.sample_runs import judged, run, target
from tests.web.sample_site import name_of, save


def test_a_new_run_appears_and_a_removed_one_is_gone(tmp_path):
    first = save(tmp_path, run(target()), name_of(1, "x"))
    known = Catalogue(tmp_path)
    assert [one.name for one in known.refresh().runs] == [first]
    second = save(tmp_path, run(target()), name_of(2, "x"))
    assert [one.name for one in known.refresh().runs] == [second, first]
    shutil.rmtree(tmp_path / first)
    assert [one.name for one in known.refresh().runs] == [second]
    shutil.rmtree(tmp_path / second)
    assert known.refresh().runs == [] == known.latest and not known.series


def test_a_finished_document_is_read_once_and_a_running_one_when_it_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "WATCHED", 0)
    save(tmp_path, run(target()), name_of(1, "done"))
    running = save(tmp_path, run(target(), state="running"), name_of(2, "going"))
    known, read = Catalogue(tmp_path), []
    real = catalogue._entry
    monkeypatch.setattr(catalogue, "_entry", lambda name, content: (read.append(name), real(name, content))[1])
    known.refresh()
    known.refresh()
    assert len(read) == 2
    document = run(target(), target("ch02:b")).model_copy(update={"run": running})
    (tmp_path / running / "run.json").write_text(document.model_dump_json())
    assert len(known.refresh().runs[0].results) == 2 and read[2:] == [running]


def test_the_newest_result_of_a_target_is_the_latest_and_its_series_has_all(tmp_path):
    for day, ratio in ((1, 2.0), (2, 3.0)):
        save(tmp_path, run(target(ratio=judged("faster", ratio, ratio, ratio))), name_of(day, "x"))
    known = Catalogue(tmp_path).refresh()
    assert [one.ratio for one in known.latest] == [3.0]
    assert [[one.ratio for one in series] for series in known.series.values()] == [[2.0, 3.0]]


def test_links_broken_and_huge_documents_have_no_results(tmp_path, monkeypatch):
    save(tmp_path / "elsewhere", run(target()), name_of(1, "x"))
    (tmp_path / name_of(1, "x")).symlink_to(tmp_path / "elsewhere" / name_of(1, "x"))
    linked = tmp_path / name_of(2, "x")
    linked.mkdir()
    (linked / "run.json").symlink_to(tmp_path / "elsewhere" / name_of(1, "x") / "run.json")
    broken = tmp_path / name_of(3, "x")
    broken.mkdir()
    (broken / "run.json").write_text('{"password": "hunter2"')
    known = Catalogue(tmp_path).refresh()
    assert [one.name for one in known.runs] == [broken.name] and not known.latest
    assert "cannot be read" in known.runs[0].why and "hunter2" not in known.runs[0].why
    monkeypatch.setattr(catalogue, "LARGEST", 100)
    save(tmp_path, run(target()), name_of(4, "x"))
    assert "more than" in Catalogue(tmp_path).refresh().runs[0].why


def test_a_run_is_found_by_name_id_and_unique_beginning(tmp_path):
    names = [save(tmp_path, run(target()), name_of(day, "x")) for day in (1, 2, 12)]
    known = Catalogue(tmp_path).refresh()
    for asked, at in ((names[0], 0), ("000002", 1), ("20250112", 2), ("latest", 2), ("previous", 1)):
        assert known.find(asked) == names[at], asked
    with pytest.raises(UsageError, match="3 runs"):
        known.find("2025")
    for wrong in ("", "../x", "ffffff", "<b>", "x" * 300):
        with pytest.raises(NothingMatched):
            known.find(wrong)
