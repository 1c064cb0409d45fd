"""Which files of a folder to look at: those that `perfproof profile` names in its record, else all of them."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.core.profile_record import OTHERS_RAN
from perfproof.profile.profiling import ENDED

RECORD = "profile.json"
OUR_OWN = (RECORD, "diagnosis.json")
LONG_RUN = 20.0  # seconds
DEEPEST = 3  # folders below the one that was named
TELEMETRY = ".telemetry.jsonl"  # clocks and power that were read beside a capture


@dataclass(frozen=True)
class Folder:
    files: list[Path]
    recorded: bool  # by `perfproof profile`, which says what is in it
    unprofiled_ns: float | None = None  # a step, where the record tells it


def files_of(folder: Path) -> Folder:
    """Several captures in one folder are several programs, the sides of a pair as a rule: one has to be chosen."""
    inside = [path for path in sorted(folder.rglob("*")) if len(path.relative_to(folder).parts) <= DEEPEST]
    plain = [path for path in inside if path.is_file() and not path.is_symlink()]
    captures = [
        (path.parent, capture) for path in plain if path.name == RECORD for capture in _captures(path) if _main(capture)
    ]
    homes = {home for home, _ in captures}
    if len(homes) == 1 and _document(captures[0][0] / RECORD).get("program"):  # of one program, by several tools
        home = captures[0][0]
        files = [home / name for _, one in captures for name in [*_main(one), *_beside(one, home)]]
        return Folder(files, True, _unprofiled_ns(captures[0][1]))
    if len(captures) > 1:
        home, last = captures[-1]
        names = ", ".join(str(capture.get("variant") or home.name) for home, capture in captures[:6])
        raise DocumentError(
            f"{folder}: holds {len(captures)} captures ({names}), which are no ranks of one program; diagnose one: "
            f"`perfproof diagnose {home / _main(last)[0]}`"
        )
    if captures:
        home, capture = captures[0]
        return Folder(
            [home / name for name in [*_main(capture), *_beside(capture, home)]], True, _unprofiled_ns(capture)
        )
    return Folder([path for path in plain if path.name not in OUR_OWN], False)


def main_file(path: Path) -> Path:
    """The profile itself, if `path` is a folder of `perfproof profile`."""
    return files_of(path).files[0] if (path / RECORD).is_file() else path


def recorded_command(path: Path) -> str:
    """The command that was profiled, if `path` lies in a folder of `perfproof profile`, or is one."""
    record = (path if path.is_dir() else path.parent) / RECORD
    words = _document(record).get("program") if record.is_file() else None
    return shlex.join(words) if isinstance(words, list) and all(isinstance(word, str) for word in words) else ""


@dataclass(frozen=True)
class Told:
    """What the record of `perfproof profile` says about the circumstances."""

    busy: tuple[str, ...] = ()  # notes that other programs used the machine
    ran_long: bool = False  # or was ended by the recording: an experiment with whole runs takes as long each time


def told_of(path: Path) -> Told:
    """What `profile.json` says of the recording: of this folder, or of the folder that this file is in."""
    record = (path if path.is_dir() else path.parent) / RECORD
    captures = _captures(record) if record.is_file() else []
    own = [one for one in captures if path.is_dir() or path.name in _main(one)]
    notes = [
        note for one in own if isinstance(one.get("notes"), list) for note in one["notes"] if isinstance(note, str)
    ]
    seconds = [one["seconds"] for one in own if isinstance(one.get("seconds"), int | float)]
    is_program = bool(own) and bool(_document(record).get("program"))
    ran_long = any(note.startswith(ENDED) for note in notes) or max(seconds, default=0.0) > LONG_RUN
    busy = tuple(dict.fromkeys(note for note in notes if note.startswith(OTHERS_RAN)))
    return Told(busy, is_program and ran_long)


def _captures(record: Path) -> list[dict[str, Any]]:
    found = _document(record).get("captures")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _document(record: Path) -> dict[str, Any]:
    try:
        content = json.loads(record.read_text(errors="replace"))
    except (OSError, ValueError, RecursionError) as error:
        raise DocumentError(f"{record}: cannot be read: {' '.join(str(error).split())}") from None
    return content if isinstance(content, dict) else {}


def _main(capture: dict[str, Any]) -> list[str]:
    """Names of the files with the profile itself; a name that leads out of the folder is nobody's."""
    names = capture.get("main_files")
    return (
        [name for name in names if isinstance(name, str) and Path(name).name == name] if isinstance(names, list) else []
    )


def _beside(capture: dict[str, Any], home: Path) -> list[str]:
    """Names of the telemetry that was read meanwhile, where it is still there: it tells of clocks that fell."""
    listed = capture.get("files")
    names = [one.get("name") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    own = [name for name in names if isinstance(name, str) and name.endswith(TELEMETRY) and Path(name).name == name]
    return [name for name in own if (home / name).is_file()]


def _unprofiled_ns(capture: dict[str, Any]) -> float | None:
    """A call, which is a step, at the speed it had before the profiler was started."""
    seconds = capture.get("call_seconds")
    return seconds * 1e9 if isinstance(seconds, int | float) and seconds > 0 else None


def unprofiled_beside(file: Path) -> float | None:
    """The same for a file that a record in its folder names."""
    record = file.parent / RECORD
    captures = _captures(record) if record.is_file() else []
    return next((_unprofiled_ns(capture) for capture in captures if file.name in _main(capture)), None)
