"""Two revisions of a repository side by side, in temporary folders; the user's own files, index and branches untouched.

A revision is checked out by `git worktree add --detach` and removed again, whatever happens in between. The word
`worktree` stands for the files as they are now.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from perfproof.core.child import Answer, ask
from perfproof.core.errors import UsageError

AS_THEY_ARE = "worktree"
CHECKOUT_SECONDS = 600


@dataclass(frozen=True)
class Tree:
    revision: str  # as the user wrote it
    commit: str  # full hash; "" for the files as they are
    path: Path
    submodules: bool  # declared: a temporary work tree does not hold their files
    uncommitted: tuple[str, ...] = ()  # files with changes of which no checked out revision knows

    @property
    def name(self) -> str:
        """As the user wrote it: the same from commit to commit, unless that is a hash."""
        return self.commit[:8] if self.commit and self.commit.startswith(self.revision) else self.revision

    @property
    def label(self) -> str:
        """The name and the commit that it is now; a hash needs no second one."""
        return f"{self.name} ({self.commit[:8]})" if self.commit and self.name != self.commit[:8] else self.name


def repository_of(folder: Path) -> Path:
    """The top folder of the git work tree around `folder`; UsageError where there is none."""
    bare = run_git(folder, "rev-parse", "--is-bare-repository")
    if bare.why:
        raise UsageError(f"--rev needs git, which cannot be run here: {bare.why}")
    if not bare.ok:
        raise UsageError(f"--rev needs a git repository, and {folder} is in none")
    if bare.out.strip() == "true":
        raise UsageError(f"--rev: {folder} is in a bare repository, which has no files to compare; use a clone")
    top = run_git(folder, "rev-parse", "--show-toplevel")
    if not top.ok:
        raise UsageError(f"--rev: {folder} is not inside the files of a repository: {top.last_line}")
    return Path(top.out.rstrip("\n"))


@contextmanager
def checked_out(repository: Path, revisions: Sequence[str]) -> Iterator[list[Tree]]:
    """The trees of these revisions, in their order; removed at the end, by whatever way it comes."""
    commits = [_commit(repository, revision) for revision in revisions]
    with ExitStack() as stack:
        parent = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="perfproof-rev-")))
        stack.callback(run_git, repository, "worktree", "prune")
        trees = []
        uncommitted = _uncommitted(repository) if all(commits) else ()
        for number, (revision, commit) in enumerate(zip(revisions, commits, strict=True)):
            path = parent / str(number) if commit else repository
            if commit:
                stack.callback(_remove, repository, path)
                _add(repository, path, revision, commit)
            trees.append(Tree(revision, commit, path, bool(commit) and (path / ".gitmodules").is_file(), uncommitted))
        yield trees


def changes_between(a: Tree, b: Tree) -> str:
    """What git says has changed from one to the other; empty if nothing has, or if git cannot say it."""
    if a.commit == b.commit:
        return ""
    words = ["diff", "--no-color", "--no-ext-diff"]
    if a.commit and b.commit:
        found = run_git(a.path, *words, a.commit, b.commit)
    elif a.commit:
        found = run_git(b.path, *words, a.commit)
    else:
        found = run_git(a.path, *words, "-R", b.commit)
    return found.out.encode(errors="surrogateescape").decode(errors="replace") if found.ok else ""


def _commit(repository: Path, revision: str) -> str:
    if revision == AS_THEY_ARE:
        return ""
    found = run_git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if not found.ok:
        shallow = run_git(repository, "rev-parse", "--is-shallow-repository")
        cut = shallow.ok and shallow.out.strip() == "true"
        remote, _, branch = revision.partition("/")
        fetch = (
            f"git fetch --unshallow {remote} {branch}:refs/remotes/{revision}" if branch else "git fetch --unshallow"
        )
        deeper = f"; this clone has only its last commits: {fetch} (fetch-depth: 0 in CI)" if cut else ""
        near = get_close_matches(revision, _names(repository), n=2)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        shown = "`git log --oneline --decorate` shows them"
        raise UsageError(f"--rev {revision!r} is no revision of {repository}; {meant}{shown}{deeper}")
    return found.out.strip()


def _names(repository: Path) -> list[str]:
    """Branches and tags, as a person writes them."""
    found = run_git(repository, "for-each-ref", "--format=%(refname:short)")
    return found.out.split() if found.ok else []


def _uncommitted(repository: Path) -> tuple[str, ...]:
    found = run_git(repository, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules")
    return tuple(line[3:] for line in found.out.splitlines()) if found.ok else ()


def _add(repository: Path, path: Path, revision: str, commit: str) -> None:
    made = run_git(repository, "-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", str(path), commit)
    if not made.ok:
        raise UsageError(f"--rev {revision!r} cannot be checked out: {made.last_line}")


def _remove(repository: Path, path: Path) -> None:
    """Git forgets it and deletes it; what git leaves goes with the temporary folder, and `prune` forgets that too."""
    run_git(repository, "worktree", "remove", "--force", "--force", str(path))


def run_git(folder: Path, *arguments: str) -> Answer:
    """Git in a session of its own: Ctrl-C ends the run, not a clean-up half-way."""
    environment = {"GIT_DIR": None, "GIT_WORK_TREE": None, "GIT_TERMINAL_PROMPT": "0"}
    return ask(["git", *arguments], CHECKOUT_SECONDS, environment, folder, errors="surrogateescape")
