"""The commit that is being measured: of the work tree around the current folder, if there is one."""

from pathlib import Path
from typing import Any

from perfproof.core.child import Answer, ask

DEADLINE_SECONDS = 30


def read_git(folder: Path | None = None) -> dict[str, Any]:
    """commit, branch (None when detached) and dirty; or why they are unknown."""
    inside = _answer(folder, "rev-parse", "--is-inside-work-tree")
    if inside.why:
        return {"commit": None, "why": inside.why}
    if not inside.ok or inside.out.strip() != "true":
        return {"commit": None, "why": "not a git work tree"}
    status = ask_git(folder, "status", "--porcelain", "--untracked-files=no")
    return {
        "commit": ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD"),
        "branch": ask_git(folder, "symbolic-ref", "--short", "--quiet", "HEAD", errors="replace"),
        "dirty": None if status is None else status != "",
    }


def branches_and_tags(folder: Path | None = None) -> list[tuple[str, str]]:
    """Name and kind of each; empty if there is no repository."""
    found = ask_git(folder, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", errors="replace") or ""
    kinds = {"refs/heads/": "a branch", "refs/tags/": "a tag"}
    names = [(line, start) for line in found.splitlines() for start in kinds if line.startswith(start)]
    return [(line.removeprefix(start), kinds[start]) for line, start in names]


def ask_git(folder: Path | None, *arguments: str, errors: str = "surrogateescape") -> str | None:
    """What git prints, paths as they are on the disk; None if it refuses or is not there."""
    answer = _answer(folder, *arguments, errors=errors)
    return answer.out.strip("\n") if answer.ok else None


def _answer(folder: Path | None, *arguments: str, errors: str = "replace") -> Answer:
    """It takes no lock: reading changes nothing."""
    return ask(["git", "--no-optional-locks", *arguments], DEADLINE_SECONDS, cwd=folder, errors=errors)
