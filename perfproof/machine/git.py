"""The commit that is being measured: of the work tree around the current folder, if there is one."""

import subprocess
from pathlib import Path
from typing import Any

DEADLINE_SECONDS = 30


def read_git(folder: Path | None = None) -> dict[str, Any]:
    """commit, branch (None when detached) and dirty; or why they are unknown."""
    try:
        inside = ask_git(folder, "rev-parse", "--is-inside-work-tree")
    except (OSError, subprocess.SubprocessError) as error:
        return {"commit": None, "why": f"git does not answer: {type(error).__name__}"}
    if inside != "true":
        return {"commit": None, "why": "not a git work tree"}
    try:
        status = ask_git(folder, "status", "--porcelain", "--untracked-files=no")
        return {
            "commit": ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD"),
            "branch": ask_git(folder, "symbolic-ref", "--short", "--quiet", "HEAD"),
            "dirty": None if status is None else status != "",
        }
    except (OSError, subprocess.SubprocessError) as error:
        return {"commit": None, "why": f"git does not answer: {type(error).__name__}"}


def ask_git(folder: Path | None, *arguments: str, errors: str = "replace") -> str | None:
    """What git prints, or None where it refuses. It gets no terminal and takes no lock: reading changes nothing."""
    answer = subprocess.run(
        ["git", "--no-optional-locks", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors=errors,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    return answer.stdout.strip("\n") if answer.returncode == 0 else None
