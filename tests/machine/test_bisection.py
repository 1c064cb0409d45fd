"""git bisect in a work tree of its own: the culprit is found, skips are said, the user's tree stays as it is."""

import subprocess
from pathlib import Path

import pytest

from perfproof.core.errors import UsageError
from perfproof.machine.bisection import bisection


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def git(*arguments):
        identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
        done = subprocess.run(["git", *identity, *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    for number in range(8):
        (tmp_path / "number").write_text(str(number))
        git("add", "number")
        git("commit", "-q", "-m", f"commit {number}")
    (tmp_path / "number").write_text("dirty")
    return git


def number_of(git, commit):
    return int(git("show", f"{commit}:number"))


def run(git, judge, good="HEAD~7", bad="HEAD"):
    with bisection(Path.cwd(), good, bad) as state:
        while state.candidate:
            state.mark(judge(number_of(git, state.candidate)))
        return [state.subject(one).partition(" ")[2] for one in state.culprits]


@pytest.mark.parametrize("first_bad", [1, 4, 7])
def test_the_first_bad_commit_is_found(repository, first_bad):
    assert run(repository, lambda number: "bad" if number >= first_bad else "good") == [f"commit {first_bad}"]


def test_commits_that_cannot_be_measured_leave_several_suspects(repository):
    found = run(repository, lambda number: "skip" if number in (3, 4) else "bad" if number > 4 else "good")
    assert set(found) == {"commit 3", "commit 4", "commit 5"}


def test_the_user_s_tree_and_branches_stay_as_they_are(repository):
    before = [repository("status", "--porcelain"), repository("branch", "-a"), repository("rev-parse", "HEAD")]
    run(repository, lambda number: "bad" if number >= 4 else "good")
    assert [repository("status", "--porcelain"), repository("branch", "-a"), repository("rev-parse", "HEAD")] == before
    assert len(repository("worktree", "list").splitlines()) == 1 and repository("for-each-ref", "refs/bisect") == ""


def test_commits_that_make_no_sense_are_refused(repository):
    with pytest.raises(UsageError, match="same commit"):
        run(repository, None, "HEAD", "HEAD")
    with pytest.raises(UsageError, match="commit first"):
        run(repository, None, "HEAD~1", "worktree")
    with pytest.raises(UsageError, match="no revision"):
        run(repository, None, "nowhere", "HEAD")
    with pytest.raises(UsageError, match="git bisect refuses"):
        run(repository, lambda number: "good", "HEAD", "HEAD~3")
