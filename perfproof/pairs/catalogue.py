"""Find the pairs that come with perfproof: chapters/chNN_topic/*.py and labs/<lab>/*.py, by their place on disk."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from perfproof.core.errors import ContractError
from perfproof.pairs.contract import read_pair
from perfproof.pairs.pair import Broken, Pair
from perfproof.pairs.project import refuse_missing_modules
from perfproof.pairs.source import read_source


@dataclass(frozen=True)
class Entry:
    """A file in a pair's place, not read yet."""

    path: Path
    name: str
    chapter: str
    folder: str  # "ch01_goodput": another way to write the chapter
    own: bool = False  # a file of the user's

    def read(self) -> Pair | Broken:
        try:
            pair = read_pair(self.path, self.name, self.chapter, self.own)
            if self.own:
                refuse_missing_modules(read_source(self.path), pair.needs.get("packages", ()))
            return pair
        except ContractError as error:
            return Broken(self.path, self.name, self.chapter, self._cause(str(error)))

    def _cause(self, error: str) -> str:
        """A module that is not found is why a name's arguments cannot be seen, and not the other way round."""
        try:
            if self.own:
                refuse_missing_modules(read_source(self.path), ())
        except ContractError as missing:
            return str(missing)
        return error


def catalogue() -> list[Pair | Broken]:
    """Every pair, chapters first; a file that breaks the contract is there as Broken."""
    return [entry.read() for entry in entries()]


def entries() -> list[Entry]:
    found = []
    root = catalogue_root()
    for folder in _folders(root / "chapters"):
        if number := re.match(r"ch\d\d(?=_)", folder.name):
            found += [Entry(file, f"{number[0]}:{file.stem}", number[0], folder.name) for file in pair_files(folder)]
    for folder in _folders(root / "labs"):
        lab = f"labs/{folder.name}"
        found += [Entry(file, f"{lab}:{file.stem}", lab, lab) for file in pair_files(folder)]
    return found


def catalogue_root() -> Path:
    """Inside an installed wheel, or the repository beside the package."""
    package = Path(os.path.abspath(__file__)).parents[1]
    inside = package / "catalogue"
    return inside if inside.is_dir() else package.parent


def canonical(target: str) -> str:
    """`ch1` and `ch1:x` as the catalogue writes them: `ch01`, `ch01:x`."""
    return re.sub(r"^ch(\d)(?=$|[_:.])", r"ch0\1", target)


def pair_files(folder: Path) -> list[Path]:
    """The files of a folder that stand for a pair."""
    return sorted(file for file in folder.glob("*.py") if not file.name.startswith(("_", "test_", "conftest.", ".")))


def _folders(parent: Path) -> Iterable[Path]:
    if not parent.is_dir():
        return []
    return sorted(folder for folder in parent.iterdir() if folder.is_dir() and not folder.name.startswith(("_", ".")))
