"""Documents as the dashboard reads them."""

import pytest

from perfproof.core.errors import DocumentError, NothingMatched
from perfproof.web import catalogue, saved
from tests.report.sample_runs import run, target
from tests.web.sample_site import make_running, name_of, save


def test_a_run_has_the_name_of_its_folder(tmp_path):
    name = save(tmp_path, run(target()), name_of(1, "x"))
    assert saved.load(tmp_path, name).run == name
    assert catalogue.run_names(tmp_path) == [name]


def test_a_document_that_was_replaced_is_read_again(tmp_path):
    name = save(tmp_path, run(target()), name_of(1, "x"))
    assert len(saved.load(tmp_path, name).targets) == 1
    document = tmp_path / name / "run.json"
    changed = run(target(), target("ch02:b")).model_copy(update={"run": name})
    document.write_text(changed.model_dump_json())
    assert len(saved.load(tmp_path, name).targets) == 2


@pytest.mark.parametrize("name", ["..", "../x", "/etc", "latest", "", "x" * 300])
def test_only_names_of_runs_are_taken(tmp_path, name):
    with pytest.raises(NothingMatched):
        saved.load(tmp_path, name)


def test_a_document_that_is_a_link_is_not_read(tmp_path):
    (tmp_path / "elsewhere.json").write_text(run(target()).model_dump_json())
    name = name_of(1, "x")
    (tmp_path / name).mkdir()
    (tmp_path / name / "run.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(NothingMatched):
        saved.load(tmp_path, name)


def test_what_is_in_a_broken_document_is_not_told(tmp_path):
    name = name_of(1, "x")
    (tmp_path / name).mkdir()
    (tmp_path / name / "run.json").write_text('{"schema_version": 1, "password": "hunter2"}')
    with pytest.raises(DocumentError, match="cannot be read") as error:
        saved.load(tmp_path, name)
    assert "hunter2" not in str(error.value)


def test_a_huge_document_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(saved, "LARGEST", 100)
    name = save(tmp_path, run(target()), name_of(1, "x"))
    with pytest.raises(DocumentError, match="more than"):
        saved.load(tmp_path, name)


def test_a_run_in_progress_is_one_that_says_how_far_it_is(tmp_path):
    save(tmp_path, run(target()), name_of(1, "x"))
    name = make_running(tmp_path)
    assert catalogue.running_names(tmp_path) == [name]
