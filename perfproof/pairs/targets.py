"""From what a person writes to pairs: `ch01`, `ch1:batched_gemm`, `labs/moe:step_02`, `*:rms*`, or a path of their own.

The catalogue's names come first; then what is on disk; then globs. Only the files that match are read.
"""

import os
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.pairs.catalogue import Entry, canonical, catalogue, catalogue_root, entries, pair_files
from perfproof.pairs.listing import read_listed
from perfproof.pairs.pair import Availability, Broken, Pair
from perfproof.pairs.sizes import parse_sizes
from perfproof.pairs.source import shown

__all__ = ["catalogue", "name_of", "own_name", "parse_sizes", "select", "tour"]


def select(patterns: Sequence[str], keyword: str | None = None, listed: bool = False) -> list[Pair | Broken]:
    """The pairs that the patterns name (none: all of the catalogue), in that order, each once.

    What is only `listed` may come from the cache of an earlier listing.
    """
    known = entries()
    if not patterns and not known:
        raise NothingMatched(
            f"no pairs in {shown(catalogue_root())}; name a file of your own: `perfproof run my_pair.py`"
        )
    chosen = [entry for pattern in patterns for entry in _matching(pattern, known)] if patterns else known
    once: dict[Path, Entry] = {}
    for entry in chosen:
        once.setdefault(entry.path, entry)
    pairs = read_listed(list(once.values())) if listed else [entry.read() for entry in once.values()]
    if keyword is None:
        return pairs
    kept = [pair for pair in pairs if keyword.lower() in f"{pair.name}\n{getattr(pair, 'lesson', '')}".lower()]
    if not kept:
        raise NothingMatched(f"no target has {keyword!r} in its name or lesson; `perfproof list` shows all")
    return kept


def tour(pairs: Sequence[Pair | Broken], availability: Callable[[Pair], Availability]) -> list[Pair]:
    """The pairs that chapters chose for it, as far as they can be timed here.

    If none can, all of them, so that each is verified, or reported as skipped with the reason.
    """
    chosen = [pair for pair in pairs if isinstance(pair, Pair) and pair.tour and not pair.chapter.startswith("labs/")]
    return [pair for pair in chosen if availability(pair).timed] or chosen


def _matching(pattern: str, known: list[Entry]) -> list[Entry]:
    found = _named(canonical(pattern), known)
    if not found and os.path.exists(pattern):
        found = _on_disk(pattern, known)
    if not found and os.path.isfile(f"{pattern}.py"):  # as results name it
        found = _on_disk(f"{pattern}.py", known)
    if not found and any(character in pattern for character in "*?["):
        found = [e for e in known if any(fnmatchcase(text, pattern) for text in (e.name, e.chapter, e.folder))]
    if not found:
        raise _nothing(pattern, known)
    return found


def _named(pattern: str, known: list[Entry]) -> list[Entry]:
    """Targets by chapter, by name, and steps of a lab by the beginning of their name."""
    chapter, colon, stem = pattern.partition(":")
    members = [e for e in known if chapter in (e.chapter, e.folder) or (pattern == "labs" and _in_lab(e))]
    if not colon:
        return members
    exact = [entry for entry in members if entry.path.stem == stem]
    begun = [entry for entry in members if stem and _in_lab(entry) and entry.path.stem.startswith(stem)]
    if not exact and len(begun) > 1:
        names = ", ".join(entry.name for entry in begun[:5])
        raise UsageError(f"{pattern!r} is the beginning of {len(begun)} steps: {names}; write more of one")
    return exact or begun


def _in_lab(entry: Entry) -> bool:
    return entry.chapter.startswith("labs/")


def _on_disk(pattern: str, known: list[Entry]) -> list[Entry]:
    """A file or folder; one of the catalogue's keeps its name there."""
    path = Path(os.path.abspath(pattern))
    if path.is_dir():
        inside = [entry for entry in known if path in entry.path.parents]
        found = inside or [_own(os.path.join(pattern, file.name), file) for file in pair_files(path)]
        if not found:
            raise NothingMatched(f"no pairs in the folder {pattern!r}; `perfproof new NAME` writes one to fill in")
        return found
    if path.suffix != ".py":
        raise UsageError(f"{pattern!r} is not a Python file; a pair is a .py file, `perfproof new NAME` writes one")
    return [entry for entry in known if entry.path == path] or [_own(pattern, path)]


def _own(given: str, path: Path) -> Entry:
    """A file of the user's; a folder inside one called `labs` is a ladder of steps, as in the catalogue."""
    folder = path.parent
    chapter = f"labs/{folder.name}" if folder.parent.name == "labs" else folder.name
    return Entry(path, own_name(given), chapter, folder.name, own=True)


def own_name(given: str) -> str:
    """One name for one file, however it is written: from here where it lies below, else as given; no suffix."""
    path, here = os.path.abspath(given), os.getcwd()
    below = path.startswith(here.rstrip(os.sep) + os.sep)
    return (os.path.relpath(path, here) if below else os.path.normpath(given)).removesuffix(".py")


def name_of(given: str) -> str:
    """The name under which results of a target are kept; a person may write its file instead."""
    return own_name(given) if given.endswith(".py") else given


def _nothing(pattern: str, known: list[Entry]) -> NothingMatched:
    is_path = pattern.endswith(".py") or (os.sep in pattern and not pattern.startswith("labs/"))
    if is_path and not any(character in pattern for character in "*?["):
        meant = _near_files(pattern)
        hint = f"did you mean {' or '.join(meant)}?" if meant else "check the path, or see"
        hint = f"{hint} `perfproof list` {'shows all targets' if meant else 'for the names of targets'}"
        return NothingMatched(f"no file {pattern!r}; {hint}")
    near = _nearest(canonical(pattern), known) or _near_files(f"{pattern}.py")
    hint = f"; did you mean {' or '.join(near)}?" if near else ";"
    function = _as_function(pattern)
    hint = f"{hint} for a function write `perfproof ab {function}`;" if function else hint
    return NothingMatched(f"no target {pattern!r}{hint} `perfproof list` shows all")


def _as_function(pattern: str) -> str:
    """`package.module.function` or `module:function` as `ab` takes it, if there is such a module around here."""
    module, _, name = pattern.replace(":", ".").rpartition(".")
    folders = (".", "src")
    found = module and name.isidentifier() and any(_is_module(folder, module) for folder in folders)
    return f"{module}:{name}" if found else ""


def _is_module(folder: str, module: str) -> bool:
    path = os.path.join(folder, *module.split("."))
    return os.path.isfile(f"{path}.py") or os.path.isfile(os.path.join(path, "__init__.py"))


def _near_files(pattern: str) -> list[str]:
    """Python files of the same folder with nearly this name."""
    import difflib

    folder, name = os.path.split(pattern)
    files = sorted(path.name for path in Path(folder or ".").glob("*.py"))
    return [os.path.join(folder, near) for near in difflib.get_close_matches(name, files, n=2, cutoff=0.75)]


def _nearest(pattern: str, known: list[Entry]) -> list[str]:
    import difflib

    chapter, _, stem = pattern.rpartition(":")
    same_stem = [entry.name for entry in known if stem and entry.path.stem == stem]
    if same_stem:
        return same_stem[:3]
    names = [entry.name for entry in known] + sorted({name for e in known for name in (e.chapter, e.folder)})
    begun = [entry.name for entry in known if stem and entry.path.stem.startswith(stem) and chapter in entry.name]
    return (begun or difflib.get_close_matches(pattern, names, n=3, cutoff=0.75))[:3]
