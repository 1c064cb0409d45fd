"""Two revisions side by side: the user's tree is as it was, whatever happens in between."""

import subprocess
from dataclasses import replace

import pytest

from perfproof.core.errors import UsageError
from perfproof.machine.worktrees import changes_between, checked_out, repository_of, run_git


def git(folder, *arguments):
    done = subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=n@example.com", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path):
    """Two commits, a branch, a stash, a staged, a changed and an untracked file."""
    folder = tmp_path / "a repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for text in ("one", "two"):
        (folder / "file.txt").write_text(text)
        git(folder, "add", "file.txt")
        git(folder, "commit", "-q", "-m", text)
    git(folder, "branch", "other", "HEAD~1")
    (folder / "file.txt").write_text("stashed")
    git(folder, "stash", "-q")
    (folder / "staged.txt").write_text("staged")
    git(folder, "add", "staged.txt")
    (folder / "file.txt").write_text("changed")
    (folder / "untracked.txt").write_text("untracked")
    return folder


def state(folder):
    asked = (["status", "--porcelain"], ["branch", "-a"], ["stash", "list"], ["worktree", "list"], ["log", "--oneline"])
    files = {path.name: path.read_text() for path in sorted(folder.glob("*.txt"))}
    return [git(folder, *arguments) for arguments in asked], files, git(folder, "diff", "--cached")


def test_each_revision_has_its_files_and_the_tree_is_untouched(repository):
    before = state(repository)
    with checked_out(repository, ["HEAD~1", "main"]) as (old, new):
        assert ((old.path / "file.txt").read_text(), (new.path / "file.txt").read_text()) == ("one", "two")
        assert old.label.startswith("HEAD~1 (") and len(old.commit) == 40
        assert replace(old, revision=old.commit).label == replace(old, revision=old.commit[:7]).label == old.commit[:8]
    assert not old.path.exists() and state(repository) == before


@pytest.mark.parametrize(
    ("revisions", "lines"),
    [
        (["HEAD~1", "main"], ["-one", "+two"]),
        (["main", "HEAD~1"], ["-two", "+one"]),
        (["HEAD", "worktree"], ["-two", "+changed", "+staged"]),
        (["worktree", "HEAD"], ["-changed", "+two", "-staged"]),
        (["HEAD", "main"], []),
        (["worktree", "worktree"], []),
    ],
)
def test_what_has_changed_is_told_from_the_first_to_the_second(repository, revisions, lines):
    before = state(repository)
    with checked_out(repository, revisions) as trees:
        changed = changes_between(*trees)
    found = [line for line in changed.splitlines() if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]
    assert found == lines and state(repository) == before


def test_the_word_worktree_is_the_files_as_they_are(repository):
    with checked_out(repository, ["HEAD", "worktree"]) as (_, now):
        assert now.path == repository and (now.path / "file.txt").read_text() == "changed"
        assert (now.label, now.commit) == ("worktree", "")
    assert (repository / "untracked.txt").exists()


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_after_a_failure(repository, error):
    before = state(repository)
    with pytest.raises(error), checked_out(repository, ["HEAD", "other"]) as trees:
        (trees[0].path / "made.txt").write_text("by the program")
        (trees[1].path / "file.txt").unlink()
        raise error
    assert state(repository) == before and not trees[0].path.parent.exists()


def test_a_work_tree_that_was_deleted_meanwhile_is_forgotten(repository):
    import shutil

    before = state(repository)
    with checked_out(repository, ["HEAD", "other"]) as trees:
        shutil.rmtree(trees[0].path)
    assert state(repository) == before


def test_hooks_of_the_repository_do_not_run(repository):
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{repository}/hooked'\n")
    hook.chmod(0o755)
    with checked_out(repository, ["HEAD", "other"]):
        pass
    assert not (repository / "hooked").exists()


@pytest.mark.parametrize("revision", ["nothing", "--help", "-f", "main..other", "HEAD~9", ""])
def test_what_is_no_revision_is_refused_and_nothing_is_checked_out(repository, revision):
    before = state(repository)
    with pytest.raises(UsageError, match="is no revision"), checked_out(repository, ["HEAD", revision]):
        pass
    assert state(repository) == before


def test_submodules_are_noted(repository):
    (repository / ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = ../x\n')
    git(repository, "add", ".gitmodules")
    git(repository, "commit", "-q", "-m", "submodules", ".gitmodules")
    with checked_out(repository, ["HEAD~1", "HEAD"]) as (old, new):
        assert (old.submodules, new.submodules) == (False, True)


def test_the_repository_is_found_from_inside(repository):
    inside = repository / "x"
    inside.mkdir()
    assert repository_of(inside) == repository


def test_a_folder_outside_any_repository_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="is in none"):
        repository_of(tmp_path)


def test_a_bare_repository_is_refused(tmp_path):
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(UsageError, match="bare"):
        repository_of(tmp_path / "bare.git")


def test_a_clone_without_its_history_is_told_how_to_get_it(repository, tmp_path):
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    remote = "fetch --unshallow origin gone:refs/remotes/origin/gone"
    with pytest.raises(UsageError, match=remote), checked_out(tmp_path / "shallow", ["HEAD", "origin/gone"]):
        pass
    with pytest.raises(UsageError, match="fetch --unshallow"), checked_out(tmp_path / "shallow", ["HEAD", "HEAD~1"]):
        pass


def test_a_slip_in_a_revision_is_answered_with_the_tag_or_branch(repository):
    run_git(repository, "tag", "v0.2")
    with pytest.raises(UsageError, match=r"did you mean v0\.2\?"), checked_out(repository, ["HEAD", "v0.22"]):
        pass
