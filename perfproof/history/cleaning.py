"""What may be removed from an artifacts folder: runs, profiles and bundles of ours and their empty leftovers.

A folder counts as ours by its name and by what is in it. A link is never followed, a run in progress never removed.
"""

import json
import re
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perfproof.history.folders import DOCUMENT, NAME

PROFILES, PROFILE = "profiles", "profile.json"  # where `perfproof profile` writes
BUNDLES, BUNDLE = (
    "triage",
    re.compile(r"triage-(?P<made>\d{8}T\d{6}Z)-(?:.+-)?[0-9a-f]{6}\.tgz"),
)  # of `perfproof triage`
IN_PROGRESS_SECONDS = 3600.0  # a document "running" that was saved this recently belongs to a live run


@dataclass(frozen=True)
class Removable:
    path: Path
    bytes: int
    what: str  # "run", "profile", "bundle" or "empty"


def plan_clean(
    artifacts_dir: Path | str, keep: int = 0, older_than: float | None = None, now: float | None = None
) -> list[Removable]:
    """What goes, oldest first: all but the newest `keep` of a kind, and only what is older than `older_than` s."""
    moment = time.time() if now is None else now
    parent = Path(artifacts_dir)
    found = [*_ours(parent, DOCUMENT, "run"), *_ours(parent / PROFILES, PROFILE, "profile")]
    found += _bundles(parent / BUNDLES)
    ours = sorted(found, key=lambda one: _made(one.path))
    kept: set[Path] = set()
    for what in ("run", "profile", "bundle"):
        kind = [one.path for one in ours if one.what == what]
        kept |= set(kind[max(0, len(kind) - keep) :]) if keep else set()
    return [
        one
        for one in ours
        if one.path not in kept
        and (older_than is None or moment - _made(one.path) > older_than)
        and not _in_progress(one, moment)
    ]


def recorded_runs(expectations_dir: Path | str) -> set[str]:
    """Names of runs that are measuring days of expectations; a file that cannot be read counts for nothing."""
    found: set[str] = set()
    for path in Path(expectations_dir).glob("*.json"):
        targets = _document(path).get("targets")
        entries = targets.values() if isinstance(targets, dict) else ()
        days = [day for one in entries if isinstance(one, dict) for day in one.get("days") or ()]
        found |= {str(day.get("run")) for day in days if isinstance(day, dict)}
    return found


def remove(found: list[Removable]) -> None:
    for one in found:
        if one.path.is_symlink():
            continue
        if one.what == "bundle":
            folder = _unpacked(one.path)
            one.path.unlink(missing_ok=True)
            if folder is not None:
                shutil.rmtree(folder)
        else:
            shutil.rmtree(one.path)


def _unpacked(bundle: Path) -> Path | None:
    """The folder beside a bundle with the same content, if its manifest says so."""
    folder = bundle.with_suffix("")
    ours = not folder.is_symlink() and _document(folder / "manifest.json").get("name") == folder.name
    return folder if ours else None


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


def _bundles(parent: Path) -> list[Removable]:
    """Archives by the name that triage gives them."""
    files = parent.iterdir() if parent.is_dir() and not parent.is_symlink() else ()
    return [
        Removable(path, path.stat().st_size + (_bytes(beside) if (beside := _unpacked(path)) else 0), "bundle")
        for path in files
        if BUNDLE.fullmatch(path.name) and path.is_file() and not path.is_symlink()
    ]


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
    if one.what == "bundle":
        return False  # it gets its name when it is complete
    running = one.what == "empty" or _document(one.path / DOCUMENT).get("state") == "running"
    return running and moment - touched < IN_PROGRESS_SECONDS


def _made(path: Path) -> float:
    named = BUNDLE.fullmatch(path.name)
    return (
        datetime.strptime(named["made"] if named else path.name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
    )


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_symlink() or path.is_file())
