"""Where the two sides of `perfproof ab --rev A --rev B` are: their trees, their files, and where their modules are."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import perfproof
from perfproof.app.session import terminated_like_interrupted
from perfproof.core.errors import ContractError, UsageError
from perfproof.machine.worktrees import Tree, changes_between, checked_out, repository_of
from perfproof.pairs.contract import read_pair
from perfproof.pairs.pair import Pair

PYTHONS = ("python", "pypy", "uv", "torchrun", "accelerate", "pytest")
MOST_NAMED = 2  # files with uncommitted changes


def trees_of(revisions: Sequence[str], folder: Path, stack: ExitStack) -> list[Tree]:
    if not revisions:
        return []
    repository = repository_of(folder)
    stack.enter_context(terminated_like_interrupted())
    return stack.enter_context(checked_out(repository, revisions))


def changes_of(sides: Iterable[Sequence[Tree]]) -> str:
    """What has changed between the two revisions, in each repository that is compared."""
    return "".join(changes_between(*trees) for trees in sides if trees)


def place_of(path: Path) -> Path:
    """The place of a file or folder in the repository; every tree has it at the same place."""
    folder = path if path.is_dir() else path.parent
    repository = repository_of(folder if folder.is_dir() else Path.cwd())
    return Path(os.path.realpath(path)).relative_to(os.path.realpath(repository))


def lend_pair(trees: Sequence[Tree], file: Path, inside: Path) -> tuple[tuple[str, str], ...]:
    """A benchmark is often younger than what it measures: a checkout without the pair's file gets the one from here."""
    lacking = [tree for tree in trees if not (tree.path / inside).is_file()]
    if not lacking:
        return ()
    if not file.is_file():
        raise UsageError(
            f"there is no {inside} at revision {lacking[0].label}, nor in the working tree; check the path"
        )
    for tree in lacking:
        (tree.path / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, tree.path / inside)
    labels = " and ".join(tree.label for tree in lacking)
    return (("W146", f"there is no {inside} at {labels}: the file of the working tree is used there"),)


def pair_at(tree: Tree, inside: Path) -> Pair:
    """The target's file in a tree, read there; chapters and labs are told by the folder, as elsewhere."""
    path = tree.path / inside
    folder = path.parent
    chapter = f"labs/{folder.name}" if folder.parent.name == "labs" else folder.name
    own = not (tree.path / "perfproof" / "__init__.py").is_file()
    try:
        return read_pair(path, f"{inside.with_suffix('')} at {tree.label}", chapter, own)
    except ContractError as error:
        line = error.where.rpartition(":")[2]
        what = error.what.replace(f"{tree.path}{os.sep}", "").replace("'python other.py'", "--rev main --rev HEAD")
        raise ContractError(f"{inside}{f':{line}' if line.isdigit() else ''} at {tree.label}", what) from None


def import_from(tree: Tree) -> dict[str, str]:
    """Modules come from the revision's own tree, before any that is installed; perfproof itself stays what it is."""
    own = [str(Path(os.path.abspath(perfproof.__file__)).parents[1])]
    first = own if (tree.path / "perfproof" / "__init__.py").is_file() else []
    return {"PYTHONPATH": _search_path(tree, first), "PYTHONDONTWRITEBYTECODE": "1"}


def programs_import_from(tree: Tree) -> dict[str, str]:
    """For a program of the revision: its own package, though another revision of it may be installed."""
    return {"PYTHONPATH": _search_path(tree, [])}


def _search_path(tree: Tree, first: list[str]) -> str:
    roots = [str(folder) for folder in (tree.path, tree.path / "src") if folder.is_dir()]
    before = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    return os.pathsep.join([*first, *roots, *before])


def of_working_tree(
    here: Path,
    trees: Sequence[Tree],
    folders: Sequence[Path],
    commands: Sequence[Sequence[str]],
    variables: Sequence[Mapping[str, str]],
) -> tuple[tuple[str, str], ...]:
    """Files of the working tree that a command at two revisions would take from there, as notes.

    A whole path is an error if both revisions have that file, or if it is the script that runs, or lies beside modules:
    they would run the same code. A file that is named by its place in the checkout is copied there if it lacks it.
    """
    if not trees:
        return ()
    root, found = Path(os.path.realpath(repository_of(here))), list[tuple[str, str]]()
    named = [part for command in commands for word in command for part in (word, word.partition("=")[2])]
    named += [part for one in variables for value in one.values() for part in value.split(os.pathsep)]
    scripts = {script for command in commands if (script := _script_of(command))}
    for word in dict.fromkeys(named):
        path = Path(os.path.realpath(word))
        if os.path.isabs(word) and path.is_relative_to(root) and path != root and path.exists():
            inside = path.relative_to(root)
            is_script = word in scripts or _has_modules_beside(path)
            if is_script or all((tree.path / inside).exists() for tree in trees):
                seen = os.path.relpath(path, os.path.realpath(here))
                raise UsageError(
                    f"{word} is in the working tree, so both revisions would use that one and what it imports: write "
                    f"{seen}, which each finds in its own checkout; one that lacks it gets a copy"
                )
            found.append(("W146", f"{inside} of the working tree is used at both revisions"))
        elif _is_file_name(word) and (here / word).is_file():
            found += _lend_file(here / word, word, trees, folders)
    return tuple(found)


def _script_of(command: Sequence[str]) -> str:
    """The Python file that a command runs; empty if it runs none. Its `sys.path` begins with its own folder."""
    before = 0
    while before < len(command) and not command[before].endswith(".py"):
        before += 1
    runs = before == 0 or any(os.path.basename(word).startswith(PYTHONS) for word in command[:before])
    return command[before] if before < len(command) and runs else ""


def _has_modules_beside(path: Path) -> bool:
    """Whether a script would import others from its own folder, which Python searches before PYTHONPATH."""
    if path.suffix != ".py":
        return False
    beside = [one for one in path.parent.iterdir() if one != path and not one.name.startswith(".")]
    return any(one.suffix == ".py" or (one.is_dir() and any(one.glob("*.py"))) for one in beside)


def _lend_file(file: Path, word: str, trees: Sequence[Tree], folders: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """A script is often younger than what it measures: a checkout without it gets the one from here."""
    places = [(tree, folder / word) for tree, folder in zip(trees, folders, strict=True)]
    lacking = [(tree, place) for tree, place in places if not place.exists()]
    for tree, place in lacking:
        if not Path(os.path.realpath(place)).is_relative_to(os.path.realpath(tree.path)):
            raise UsageError(
                f"there is no {word} at revision {tree.label}, and its place is outside of the repository; "
                f"write its whole path, {os.path.realpath(file)}, if both revisions may use the same file"
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    labels = " and ".join(tree.label for tree, _ in lacking)
    return (("W146", f"there is no {word} at {labels}: the file of the working tree is used there"),) if lacking else ()


def _is_file_name(word: str) -> bool:
    """`tools/run.py` or `run.py`, and not an option or the name of a mode."""
    return not os.path.isabs(word) and not word.startswith("-") and ("/" in word or bool(Path(word).suffix))


def in_trees(package: str, trees: list[Tree]) -> bool:
    places = [tree.path / folder for tree in trees for folder in (".", "src")]
    return any((place / package).is_dir() or (place / f"{package}.py").is_file() for place in places)


def remarks_on(trees: Sequence[Tree], differs: bool = False) -> tuple[tuple[str, str], ...]:
    """What the checkouts of the revisions lack, and whether they are one commit, unless something else `differs`."""
    found = [tree.label for tree in trees if tree.submodules]
    said = [("W143", f"{', '.join(found)} has submodules, whose files are not checked out")] if found else []
    if len(trees) == 2 and not differs and not changes_between(*trees):
        a, b = trees
        names = "both revisions are" if a.name == b.name else f"{a.name} and {b.name} are both"
        one = f"{names} {a.commit[:8]}" if a.commit and a.commit == b.commit else ""
        same = one or f"{a.label} and {b.label} have the same files"
        said.append(("W165", f"{same}: nothing was compared; any difference is noise"))
    if changed := trees[0].uncommitted if trees else ():
        more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
        files = f"{', '.join(changed[:MOST_NAMED])}{more}"
        said.append(("W165", f"uncommitted changes are not measured: {files}; --rev worktree measures them"))
    return tuple(said)
