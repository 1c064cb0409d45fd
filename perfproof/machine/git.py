"""The commit that is being measured: of the work tree around the current folder, if there is one."""

import json
from pathlib import Path
from typing import Any

from perfproof.core.child import Answer, ask

DEADLINE_SECONDS = 30
EXPECTATIONS = {"schema_version", "kind", "targets", "environments"}  # keys of a document of expectations
MOST_CHANGED = 20  # names that are kept


def read_git(folder: Path | None = None) -> dict[str, Any]:
    """commit, branch (None when detached) and dirty, with the names of changed files; or why they are unknown.

    Files that are not tracked do not count, and neither do recorded expectations: nothing that is measured reads them.
    """
    inside = _answer(folder, "rev-parse", "--is-inside-work-tree")
    if inside.why:
        return {"commit": None, "why": inside.why}
    if not inside.ok or inside.out.strip() != "true":
        return {"commit": None, "why": "not a git work tree"}
    changed = changed_files(folder)
    return {
        "commit": ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD"),
        "branch": ask_git(folder, "symbolic-ref", "--short", "--quiet", "HEAD", errors="replace"),
        "dirty": None if changed is None else bool(changed),
        **({"changed": changed[:MOST_CHANGED]} if changed else {}),
    }


def changed_files(folder: Path | None = None) -> list[str] | None:
    """Tracked files that differ from HEAD, from the top of the work tree; without files of expectations."""
    top = ask_git(folder, "rev-parse", "--show-toplevel")
    status = ask_git(folder, "status", "--porcelain", "--untracked-files=no", "--no-renames", "-z")
    if top is None or status is None:
        return None
    names = [entry[3:] for entry in status.split("\0") if len(entry) > 3]
    return [name.encode(errors="replace").decode() for name in names if not _holds_expectations(Path(top) / name)]


def _holds_expectations(path: Path) -> bool:
    """What `perfproof expectations update` wrote, wherever --expectations-dir is."""
    if path.suffix != ".json":
        return False
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.keys() >= EXPECTATIONS


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
