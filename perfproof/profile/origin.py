"""Where a profile comes from: program, moment and machine, as `perfproof profile` recorded them beside it."""

import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from perfproof.core.profile_record import OTHERS_RAN, Capture, ProfileRecord
from perfproof.profile.python_program import take_apart

RECORD = "profile.json"
MOST_BYTES = 64 * 2**20  # of a record: a larger file is none
MOST_WORDS = 100  # characters of a command in a title
NO_RULE_READS = ("perf", "syscalls")  # tools whose files `diagnose` has no rule for


@dataclass(frozen=True)
class Origin:
    title: str  # "train.py --steps 20, 20 November 2026 00:41:14 UTC, cpu"
    command: str = ""  # as it was given; empty for a pair
    busy: str = ""  # what is to be said about a machine on which others computed
    is_alone: bool = True  # the only profile of its folder, which then names it
    is_diagnosed: bool = True  # whether `diagnose` has rules for such files


def origin_of(path: Path) -> Origin | None:
    """None without a record beside the file that can be read and names it."""
    beside = path.parent / RECORD
    try:
        if not beside.is_file() or beside.stat().st_size > MOST_BYTES:
            return None
        record = ProfileRecord.model_validate_json(beside.read_bytes())
    except (OSError, ValueError, RecursionError):  # of another version, cut, or of another tool
        return None
    capture = next((one for one in record.captures if _holds(one, path.name)), None)
    if capture is None:
        return None
    parts = (_what(record, capture), moment_of(record.started), record.device)
    return Origin(
        ", ".join(filter(None, parts)) or path.name,
        shlex.join(record.program),
        next((note for note in capture.notes if note.startswith(OTHERS_RAN)), ""),
        bool(record.program) or len(record.captures) == 1,
        capture.tool not in NO_RULE_READS,
    )


def moment_of(started: str) -> str:
    """20 November 2026 00:41:14 UTC; the text itself if it is no moment."""
    try:
        moment = datetime.fromisoformat(started)
    except ValueError:
        return started
    moment = moment.astimezone(UTC) if moment.tzinfo else moment
    return f"{moment.day} {moment:%B %Y %H:%M:%S} UTC"


def _holds(capture: Capture, name: str) -> bool:
    return name in capture.main_files or any(file.name == name for file in capture.files)


def _what(record: ProfileRecord, capture: Capture) -> str:
    """The script with its arguments, without the interpreter; or the pair and its variant."""
    if record.target or not record.program:
        return f"{record.target} {capture.variant}".strip()
    _, own, _ = take_apart(record.program)
    first, *rest = own or record.program
    said = shlex.join([Path(first).name, *rest])
    return said if len(said) <= MOST_WORDS else f"{said[: MOST_WORDS - 1]}…"
