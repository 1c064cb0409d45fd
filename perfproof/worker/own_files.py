"""What a pair uses of the project around it: modules, which all sides share, and files, which no side may change.

A side that replaces a function of a shared module reaches the other side: the guard remembers what is in them.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType

from perfproof.core.units import MiB
from perfproof.worker.libraries import is_installed

MOST_COPIED = 64 * MiB

Beside = dict[str, int]  # path -> when it was last written


def link(files: Mapping[str, str]) -> Beside:
    """Put files of the project into the working folder, under the relative paths that the pair reads them by.

    They are copies, so that a side that writes to one does not overwrite the user's. Folders and large files are links.
    """
    for name, path in files.items():
        if os.path.lexists(name):
            continue
        if os.path.isfile(path) and os.path.getsize(path) <= MOST_COPIED:
            shutil.copyfile(path, name)
        else:
            os.symlink(path, name)
    return {os.path.abspath(name): os.stat(name).st_mtime_ns for name in files if os.path.isfile(name)}


def written(beside: Beside) -> list[str]:
    """The files that were changed since, in words."""
    kept = {path for path, before in beside.items() if os.path.exists(path) and os.stat(path).st_mtime_ns == before}
    changed = (os.path.basename(path) for path in beside if path not in kept)
    return [f"the file {name}, which lies beside the pair, was written to" for name in changed]


_libraries: frozenset[str] = frozenset()


def note_libraries() -> None:
    """Remember the modules that are of no project. A warm parent does, once for all its workers."""
    global _libraries
    _libraries = frozenset(sys.modules) - {name for name, _ in modules_in((os.sep,))}


def modules_in(folders: tuple[str, ...]) -> Iterator[tuple[str, ModuleType]]:
    """The project's modules that were imported by name, perfproof's own aside."""
    begin = tuple(folder.rstrip(os.sep) + os.sep for folder in folders)
    for name in [name for name in sys.modules if name not in _libraries]:
        origin = getattr(getattr(sys.modules[name], "__spec__", None), "origin", None)
        is_ours = name.split(".")[0] == "perfproof" or name.startswith("_pair_")
        if isinstance(origin, str) and origin.startswith(begin) and not is_ours and not is_installed(origin):
            yield name, sys.modules[name]
