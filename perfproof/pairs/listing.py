"""Pairs as they were read last, for what only lists them: reading 180 files anew takes a second.

An entry holds as long as all files that the pair was read from have the same size and date. What measures reads anew.
The cache is a pickle in the user's own cache folder, as compiled Python is; one that cannot be used is made again.
"""

import contextlib
import os
import pickle
from collections.abc import Sequence
from pathlib import Path

from perfproof.core.atomic import write_atomic
from perfproof.pairs.catalogue import Entry
from perfproof.pairs.pair import Broken, Pair

Stamp = tuple[tuple[str, int, int], ...]  # path, date and size of each file


def read_listed(entries: Sequence[Entry]) -> list[Pair | Broken]:
    """Each entry from the cache if its files are as they were, else anew."""
    code = _stamp(sorted(Path(__file__).parent.glob("*.py")))
    known = _read_cache(code)
    found: list[Pair | Broken] = []
    changed = False
    for entry in entries:
        stamp, kept = known.get(entry.path, ((), None))
        if kept is not None and _is_of(kept, entry) and stamp == _again(stamp):
            found.append(kept)
            continue
        pair = entry.read()
        found.append(pair)
        if isinstance(pair, Pair) and not entry.own:
            known[entry.path], changed = (_stamp(_files_of(pair)), pair), True
    if changed:
        with contextlib.suppress(OSError, pickle.PicklingError):
            _cache_file().parent.mkdir(parents=True, exist_ok=True)
            there = {path: one for path, one in known.items() if path.exists()}
            write_atomic(_cache_file(), pickle.dumps((code, there)))
    return found


def _is_of(pair: Pair, entry: Entry) -> bool:
    return not entry.own and (pair.name, pair.chapter) == (entry.name, entry.chapter)


def _cache_file() -> Path:
    if own := os.environ.get("PERFPROOF_CACHE"):
        return Path(own) / "pairs.pickle"
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "perfproof" / "pairs.pickle"


def _read_cache(code: Stamp) -> dict[Path, tuple[Stamp, Pair]]:
    try:
        known_code, known = pickle.loads(_cache_file().read_bytes())
    except Exception:  # whatever stands there instead
        return {}
    return known if known_code == code and isinstance(known, dict) else {}


def _files_of(pair: Pair) -> list[Path]:
    return [pair.path, *pair.siblings.values(), *pair.kernel_files, *pair.modules.values()]


def _again(stamp: Stamp) -> Stamp:
    return _stamp([Path(path) for path, _, _ in stamp])


def _stamp(files: Sequence[Path]) -> Stamp:
    """A file that is gone has no date."""
    found = []
    for file in files:
        try:
            status = os.stat(file)
            found.append((str(file), status.st_mtime_ns, status.st_size))
        except OSError:
            found.append((str(file), 0, -1))
    return tuple(found)
