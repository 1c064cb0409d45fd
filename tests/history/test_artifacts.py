"""The folder of runs: Git leaves the default one alone, and every other to its owner."""

import pytest

from perfproof.history.artifacts import make_artifacts
from perfproof.history.folders import open_run


@pytest.mark.parametrize("below", ["artifacts", "artifacts/profiles", "artifacts/continuous/nightly"])
def test_a_new_artifacts_folder_is_ignored_by_git(tmp_path, below):
    open_run(tmp_path / below, "x")
    assert (tmp_path / "artifacts" / ".gitignore").read_text() == "*\n"
    assert len(list(tmp_path.rglob(".gitignore"))) == 1


def test_a_folder_with_a_name_of_its_own_may_be_kept_in_git(tmp_path):
    make_artifacts(tmp_path / "evidence")
    assert (tmp_path / "evidence").is_dir() and not list(tmp_path.rglob(".gitignore"))


def test_a_folder_that_is_there_stays_as_it_is(tmp_path):
    (tmp_path / "artifacts").mkdir()
    make_artifacts(tmp_path / "artifacts")
    assert not list((tmp_path / "artifacts").iterdir())
