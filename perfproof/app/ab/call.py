"""A call of a function as it was written, and where the project has its module."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perfproof.core.errors import UsageError
from perfproof.machine.worktrees import Tree, repository_of

DOTTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
TARGET = re.compile(rf"(?P<module>{DOTTED}):(?P<name>{DOTTED})")
LONGEST = 60  # characters of --args in a name


@dataclass(frozen=True)
class FunctionCall:
    """A function and what it is called with, as they were written."""

    module: str
    name: str  # may be dotted: a method of a class that takes no instance
    arguments: str = ""
    setup: str = ""

    @property
    def title(self) -> str:
        """What the history knows it by: other arguments, or another setup, are other work."""
        return f"{self.module}:{self.name}{self.given}"

    @property
    def given(self) -> str:
        """Its arguments, as in `(titles(100))`, with a mark if that is not all: the setup is part of them."""
        said = " ".join(self.arguments.split())
        short = said if len(said) <= LONGEST else f"{said[: LONGEST - 3]}..."
        mark = hashlib.sha256(f"{said}\0{self.setup}".encode()).hexdigest()[:6]
        return f"({short}){f' #{mark}' if self.setup or short != said else ''}"


def function_call(target: str, arguments: str | None, setup: str | None) -> FunctionCall | None:
    """The call that a target names; None if no module of the project around here has such a name."""
    match = TARGET.fullmatch(target)
    if match is None:
        return None
    top = match["module"].split(".")[0]
    if not _is_of_project(top, _places(Path.cwd())):
        return None
    if top == "perfproof":
        raise UsageError(
            "a function of perfproof itself is not compared: both revisions would run the one that measures"
        )
    return FunctionCall(match["module"], match["name"], arguments or "", setup or "")


def _is_of_project(top: str, places: Sequence[Path]) -> bool:
    """Does the project have a module or a package with this name? A folder without Python files is none."""
    return any(
        (place / f"{top}.py").is_file() or next((place / top).glob("**/*.py"), None) is not None for place in places
    )


def _places(folder: Path) -> tuple[Path, ...]:
    """Where modules are imported from: the folder and the top of its repository, and `src` in both."""
    return _folders(folder, top_of(folder))


def top_of(folder: Path) -> Path:
    """The top folder of the repository around it; outside of one the folder itself."""
    try:
        return repository_of(folder)
    except UsageError:
        return folder


def places_in(tree: Tree, inside: Path) -> tuple[Path, ...]:
    """The same in the checkout of a revision; `inside` is the place of the current folder in the repository."""
    return _folders(tree.path / inside, tree.path)


def _folders(folder: Path, top: Path) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(one for one in (folder, folder / "src", top, top / "src") if one.is_dir()))
