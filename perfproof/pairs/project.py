"""The project around a pair: the folders that its own modules are imported from, and the files of theirs that it runs.

Nothing is imported here: names are looked up on disk as Python would find them.
"""

import ast
import os
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from perfproof.pairs.source import Source, nodes

MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
MOST_FILES, MOST_BYTES = 500, 1 << 20  # of a project that are read; what a pair runs is rarely more
MOST_PATH = 256


def folders(path: Path) -> tuple[Path, ...]:
    """The pair's own folder, and the `src` folder and the top of the project around it.

    If nothing marks a top, the folder that the command was typed in is one, as it is for `python -m`.
    """
    own, here = path.parent, Path.cwd()
    unmarked = here if here in own.parents else own
    top = next((folder for mark in MARKS for folder in (own, *own.parents) if (folder / mark).exists()), unmarked)
    return tuple(dict.fromkeys(folder for folder in (own, top / "src", top) if folder.is_dir()))


def own_modules(source: Source, places: tuple[Path, ...]) -> dict[Path, ast.Module]:
    """The project's files that a pair imports, and those that they import."""
    found: dict[Path, ast.Module] = {}
    waiting: list[tuple[ast.Module, tuple[str, ...]]] = [(source.tree, ())]
    while waiting and len(found) < MOST_FILES:
        tree, package = waiting.pop()
        for name in _imported(tree, package):
            for file, inside in _files_of(name, places):
                if file != source.path and file not in found and (read := read_tree(file)) is not None:
                    found[file] = read
                    waiting.append((read, inside))
    return found


def dotted_name(file: Path, places: tuple[Path, ...]) -> str:
    """The name under which Python imports a file of the project."""
    place = max((place for place in places if place in file.parents), key=lambda one: len(one.parts))
    parts = file.relative_to(place).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def packages_of(trees: Iterable[ast.Module]) -> dict[str, None]:
    """The top-level packages that these files import by an absolute name."""
    return dict.fromkeys(name.split(".")[0] for tree in trees for name in _imported(tree, ()))


def texts_of(trees: Iterable[ast.Module]) -> Iterator[str]:
    """Every text that stands in these files."""
    for node in (node for tree in trees for node in nodes(tree)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def files_at(texts: Iterable[str], places: tuple[Path, ...]) -> dict[str, Path]:
    """Files and folders in these places that a text names by a relative path: its first part -> where."""
    found: dict[str, Path] = {}
    for text in dict.fromkeys(text for text in texts if 0 < len(text) < MOST_PATH):
        first = text.removeprefix("./").split("/")[0]
        if first.strip(".") and first.isprintable():
            place = next((place for place in places if os.path.exists(place / first)), None)  # however long it is
            found |= {first: place / first} if place else {}
    return found


def is_own(name: str, places: Iterable[Path]) -> bool:
    """Is this top-level name a module, a package or a folder of the project?"""
    return any(os.path.isfile(place / f"{name}.py") or os.path.isdir(place / name) for place in places)


def refuse_missing_modules(source: Source, declared: Iterable[str]) -> None:
    """A module that is neither installed nor the project's is an error, unless the pair declares it or tries it."""
    places, spared = folders(source.path), {*declared, *optional_imports(source.tree)}
    for node in nodes(source.tree):
        for name in _names(node, ()):
            top = name.split(".")[0]
            if top not in spared and not is_own(top, places) and not _is_installed(top):
                looked = ", ".join(os.path.relpath(place) for place in places)
                what = f"imports `{top}`, which is not installed and not in the project (looked in {looked})"
                raise source.refusal(f"{what}; install it, or correct the name", getattr(node, "lineno", None))


def optional_imports(tree: ast.Module) -> tuple[str, ...]:
    """Packages that a file can do without: imported where a failure to import is caught."""
    found: dict[str, None] = {}
    for node in nodes(tree):
        if isinstance(node, ast.Try) and any(_catches_import_errors(handler) for handler in node.handlers):
            inside = [name for statement in node.body for one in ast.walk(statement) for name in _names(one, ())]
            found.update((name.split(".")[0], None) for name in inside)
    return tuple(found)


def _catches_import_errors(handler: ast.ExceptHandler) -> bool:
    caught = ast.walk(handler.type) if handler.type else ()
    names = {node.id for node in caught if isinstance(node, ast.Name)}
    return handler.type is None or bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _imported(tree: ast.Module, package: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(name for node in nodes(tree) for name in _names(node, package)))


def _names(node: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    """The dotted names that an import may load; a relative one is made absolute by its package."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        around = package[: len(package) - node.level + 1] if node.level else ()
        if node.level and not around:
            return
        base = ".".join((*around, *filter(None, [node.module])))
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")


def _files_of(name: str, places: tuple[Path, ...]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The files that importing a dotted name runs, packages around it first, each with the package it belongs to."""
    parts = tuple(name.split("."))
    place = next((place for place in places if is_own(parts[0], [place])), None)
    if place is None or parts[0] == "perfproof":
        return
    for depth in range(1, len(parts) + 1):
        inside = place.joinpath(*parts[:depth])
        if (inside / "__init__.py").is_file():
            yield inside / "__init__.py", parts[:depth]
        elif inside.with_name(f"{inside.name}.py").is_file():
            yield inside.with_name(f"{inside.name}.py"), parts[: depth - 1]


def read_tree(file: Path) -> ast.Module | None:
    """A module that cannot be read is an error of the import, not of this look."""
    try:
        if file.stat().st_size > MOST_BYTES:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@cache
def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
