"""What may be removed from an artifacts folder: runs and profiles of ours and their empty leftovers, nothing else.

A folder counts as ours by its name and by what is in it. A link is never followed, a run in progress never removed.
"""

import json
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perfproof.history.folders import DOCUMENT, NAME

PROFILES, PROFILE = "profiles", "profile.json"  # where `perfproof profile` writes
IN_PROGRESS_SECONDS = 3600.0  # a document "running" that was saved this recently belongs to a live run


@dataclass(frozen=True)
class Removable:
    path: Path
    bytes: int
    what: str  # "run", "profile" or "empty"


def plan_clean(
    artifacts_dir: Path | str, keep: int = 0, older_than: float | None = None, now: float | None = None
) -> list[Removable]:
    """What goes, oldest first: all but the newest `keep` of a kind, and only what is older than `older_than` s."""
    moment = time.time() if now is None else now
    parent = Path(artifacts_dir)
    found = [*_ours(parent, DOCUMENT, "run"), *_ours(parent / PROFILES, PROFILE, "profile")]
    ours = sorted(found, key=lambda one: one.path.name)
    kept: set[Path] = set()
    for what in ("run", "profile"):
        kind = [one.path for one in ours if one.what == what]
        kept |= set(kind[max(0, len(kind) - keep) :]) if keep else set()
    return [
        one
        for one in ours
        if one.path not in kept
        and (older_than is None or moment - _made(one.path) > older_than)
        and not _in_progress(one, moment)
    ]


def remove(found: list[Removable]) -> None:
    for one in found:
        if not one.path.is_symlink():
            shutil.rmtree(one.path)


def _ours(parent: Path, document: str, what: str) -> list[Removable]:
    found = []
    for path in parent.iterdir() if parent.is_dir() and not parent.is_symlink() else ():
        if not NAME.fullmatch(path.name) or path.is_symlink() or not path.is_dir():
            continue
        if isinstance(_document(path / document).get("perfproof_version"), str):
            found.append(Removable(path, _bytes(path), what))
        elif all(_is_leftover(child) for child in path.iterdir()):
            found.append(Removable(path, _bytes(path), "empty"))
    return found


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _is_leftover(path: Path) -> bool:
    """What a run killed in its first moment leaves: the temporary file of a document that was never finished."""
    return path.name.startswith(f".{DOCUMENT}.") and not path.is_symlink() and path.is_file()


def _in_progress(one: Removable, moment: float) -> bool:
    touched = (one.path / DOCUMENT if one.what == "run" else one.path).stat().st_mtime
    running = one.what == "empty" or _document(one.path / DOCUMENT).get("state") == "running"
    return running and moment - touched < IN_PROGRESS_SECONDS


def _made(path: Path) -> float:
    return datetime.strptime(path.name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_symlink() or path.is_file())
