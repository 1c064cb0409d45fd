"""What git says about the files behind an expectation: are they committed, and is a file part of a commit?"""

from functools import lru_cache
from pathlib import Path

from perfproof.core.errors import UsageError
from perfproof.machine.git import ask_git, changed_files


def uncommitted(folder: Path, besides: Path) -> list[str]:
    """Tracked files that differ from HEAD, without those below `besides` and files of expectations elsewhere.

    UsageError outside a repository.
    """
    top = ask_git(folder, "rev-parse", "--show-toplevel")
    if top is None:
        raise UsageError("expectations belong to a commit, and this folder is in no git repository: run `git init`")
    names = changed_files(folder)
    if names is None:
        raise UsageError("git does not say whether the files are committed: see `git status`")
    spared = besides.resolve()
    return [name for name in names if not (Path(top) / name).resolve().is_relative_to(spared)]


def is_revision(folder: Path, revision: str) -> bool:
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return ask_git(folder, *asked) is not None


def refuse_unknown(folder: Path, revision: str) -> None:
    """UsageError where `revision` is no commit of the repository around `folder`."""
    if not is_revision(folder, revision):
        raise UsageError(
            f"{revision!r} is no revision here; fetch it (in CI: fetch-depth: 0), or see `git log --oneline`"
        )


@lru_cache(maxsize=64)
def changed_between(folder: Path, before: str, after: str) -> tuple[Path, ...] | None:
    """The files that differ between two commits of the repository around `folder`; None if git does not know."""
    top = ask_git(folder, "rev-parse", "--show-toplevel")
    if top is None or not (is_revision(folder, before) and is_revision(folder, after)):
        return None
    names = ask_git(folder, "diff", "--name-only", "--no-renames", "-z", before, after)
    return None if names is None else tuple((Path(top) / name).resolve() for name in names.split("\0") if name)


def is_in_commit(folder: Path, commit: str, path: str) -> bool:
    """Whether the commit holds this file; `path` is relative to `folder`, or absolute."""
    top = ask_git(folder, "rev-parse", "--show-toplevel")
    if top is None or not path:
        return False
    file = (folder / path).resolve()
    if not file.is_relative_to(Path(top).resolve()):
        return False
    inside = file.relative_to(Path(top).resolve()).as_posix()
    return ask_git(folder, "cat-file", "-e", f"{commit}:{inside}") is not None
