"""What a pair uses of the project around it: modules, which all sides share, and files, which nobody may change.

A side that replaces a function of a shared module reaches the other side: the guard remembers what is in them.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType

from perfproof.bench.libraries import is_installed

Beside = dict[str, int]  # path -> when it was last written


def link(files: Mapping[str, str]) -> Beside:
    """Make files of the project reachable by their relative path from the working folder, which is an empty one."""
    for name, path in files.items():
        if not os.path.lexists(name):
            os.symlink(path, name)
    return {path: os.stat(path).st_mtime_ns for path in files.values() if os.path.isfile(path)}


def written(beside: Beside) -> list[str]:
    """The files that were changed since, in words."""
    found = []
    for path, before in beside.items():
        if not os.path.exists(path) or os.stat(path).st_mtime_ns != before:
            found.append(f"the file {os.path.basename(path)} beside the pair was changed")
    return found


def modules_in(folders: tuple[str, ...]) -> Iterator[tuple[str, ModuleType]]:
    """The project's modules that were imported by name, perfproof's own aside."""
    begin = tuple(folder.rstrip(os.sep) + os.sep for folder in folders)
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        origin = getattr(spec, "origin", None)
        if name.split(".")[0] == "perfproof" or name.startswith("_pair_") or not isinstance(origin, str) or not begin:
            continue
        if origin.startswith(begin) and not is_installed(origin):
            yield name, module
