"""What git says about files: changed, committed, outside; nothing is changed by asking."""

import subprocess

import pytest

from perfproof.core.errors import UsageError
from perfproof.history.commits import is_in_commit, uncommitted


@pytest.fixture
def repository(tmp_path):
    def git(*arguments):
        identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
        done = subprocess.run(["git", *identity, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    (tmp_path / "expectations").mkdir()
    for name in ("pair.py", "a file.py", "expectations/x.json"):
        (tmp_path / name).write_text("1\n")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    return tmp_path, git("rev-parse", "HEAD")


def test_a_changed_file_is_named_and_the_expectations_themselves_are_not(repository):
    folder, _ = repository
    assert uncommitted(folder, folder / "expectations") == []
    (folder / "expectations" / "x.json").write_text("2\n")
    (folder / "new.py").write_text("untracked\n")
    assert uncommitted(folder, folder / "expectations") == []
    (folder / "a file.py").write_text("2\n")
    assert uncommitted(folder, folder / "expectations") == ["a file.py"]


def test_outside_a_repository_it_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="no git repository"):
        uncommitted(tmp_path, tmp_path)
    assert not is_in_commit(tmp_path, "HEAD", "x.py")


def test_a_commit_holds_what_was_committed(repository):
    folder, commit = repository
    (folder / "new.py").write_text("1\n")
    assert is_in_commit(folder, commit, "pair.py") and is_in_commit(folder, commit, str(folder / "pair.py"))
    assert not is_in_commit(folder, commit, "new.py") and not is_in_commit(folder, commit, "../outside.py")
    assert not is_in_commit(folder, commit, "") and not is_in_commit(folder, "0" * 40, "pair.py")
