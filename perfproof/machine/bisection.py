"""`git bisect` in a temporary work tree: the search is git's own; the user's files, index and branches are untouched.

Nothing is checked out by the search itself (`--no-checkout`); its notes belong to the temporary work tree and go with
it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perfproof.core.child import Answer, last_line
from perfproof.core.errors import UsageError
from perfproof.machine.worktrees import checked_out, run_git

FIRST_BAD = re.compile(r"^(?P<commit>[0-9a-f]{40,64}) is the first bad commit", re.MULTILINE)
COMMIT = re.compile(r"^[0-9a-f]{40,64}$", re.MULTILINE)
Mark = Literal["good", "bad", "skip"]


@dataclass
class Bisection:
    folder: Path
    good: str  # full hash
    bad: str
    candidate: str | None = None  # to be looked at next; None when the search is over
    culprits: tuple[str, ...] = ()  # the first bad commit; several where commits between had to be skipped

    def mark(self, word: Mark) -> None:
        """What was found of the candidate; git chooses the next."""
        self._take(_git(self.folder, "bisect", word))

    def subject(self, commit: str) -> str:
        return _git(self.folder, "log", "-1", "--format=%h %s", commit).out.strip()

    def left(self) -> int:
        """Commits that may still be the first bad one."""
        bad, *good = _refs(self.folder)
        return len(_git(self.folder, "rev-list", bad, *(f"^{one}" for one in good)).out.split())

    def ends(self) -> tuple[str, str]:
        """The nearest commit that is known to be good, and the earliest that is known to be bad."""
        bad, *good = _refs(self.folder)
        return min(good, key=lambda one: len(_git(self.folder, "rev-list", bad, f"^{one}").out.split())), bad

    def _take(self, answer: Answer) -> None:
        said = answer.out + answer.err
        found = FIRST_BAD.search(said)
        if found:
            self.candidate, self.culprits = None, (found["commit"],)
        elif "could be any of" in said:
            self.candidate, self.culprits = None, tuple(COMMIT.findall(said.partition("could be any of")[2]))
        elif not answer.ok:
            raise UsageError(f"git bisect refuses: {last_line(said) or answer.last_line}")
        else:
            self.candidate = _git(self.folder, "rev-parse", "--verify", "BISECT_HEAD").out.strip()


@contextmanager
def bisection(repository: Path, good: str, bad: str) -> Iterator[Bisection]:
    with checked_out(repository, [good, bad]) as trees:
        good_tree, bad_tree = trees
        for tree in trees:
            if not tree.commit:
                raise UsageError("bisect is between two commits, and `worktree` is none: commit first, or use `ab`")
        if good_tree.commit == bad_tree.commit:
            raise UsageError(f"--good {good} and --bad {bad} are the same commit; name two that differ")
        search = Bisection(bad_tree.path, good_tree.commit, bad_tree.commit)
        search._take(_git(search.folder, "bisect", "start", "--no-checkout", search.bad, search.good))
        yield search


def _refs(folder: Path) -> list[str]:
    """refs/bisect/bad first, then every good one."""
    lines = _git(folder, "for-each-ref", "--format=%(refname) %(objectname)", "refs/bisect").out.splitlines()
    named = dict(line.split() for line in lines)
    return [named["refs/bisect/bad"], *(commit for name, commit in named.items() if "/good-" in name)]


def _git(folder: Path, *arguments: str) -> Answer:
    return run_git(folder, "-c", "core.hooksPath=/dev/null", *arguments)
