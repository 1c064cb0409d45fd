"""The commit under measurement, from a work tree made for the test."""

import subprocess

import pytest

from perfproof.machine.git import read_git


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first")
    return tmp_path


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_a_clean_tree_has_a_commit_and_a_branch(tree):
    assert read_git(tree) == {"commit": git(tree, "rev-parse", "HEAD"), "branch": "main", "dirty": False}


def test_a_changed_file_makes_it_dirty(tree):
    (tree / "a").write_text("2")
    assert read_git(tree)["dirty"] is True


def test_a_detached_head_has_no_branch(tree):
    git(tree, "checkout", "-q", "--detach")
    assert read_git(tree)["branch"] is None


def test_before_the_first_commit_there_is_none(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    assert read_git(tmp_path)["commit"] is None


def test_outside_a_work_tree_the_reason_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert read_git(tmp_path) == {"commit": None, "why": "not a git work tree"}


def test_without_git_the_reason_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = read_git(tmp_path)
    assert found["commit"] is None and "cannot be started" in found["why"]
