"""From the private folder to the one that is packed: every file redacted, and what cannot be is left out and named.

What one file tells, such as a password behind its name, may stand bare in a file that was redacted before: those files
are redacted once more, with all that has been learned.
"""

import shutil
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from perfproof.triage.evidence import RECORDS
from perfproof.triage.opening import MOST_BYTES, MOST_DOCUMENT_BYTES
from perfproof.triage.redaction import Redactor, redact_file
from perfproof.triage.session import PACK_SECONDS, Session

LINE_ON_TOP = 1 << 12  # an output that was cut says so in a line of its own
NO_TIME = "there was no time left to redact it"


@dataclass(frozen=True)
class _Copied:
    source: Path
    target: Path
    name: str
    lessons: int  # what the redactor had learned by then
    counts: Counter[str]


def copy_files(session: Session, ready: Path, redactor: Redactor | None) -> dict[str, str]:
    """File -> why it was left out."""
    left_out: dict[str, str] = {}
    copied: list[_Copied] = []
    room = MOST_BYTES - MOST_DOCUMENT_BYTES  # what whoever opens the bundle will accept, with the reports still to come
    ends = max(time.monotonic() + PACK_SECONDS, session.began + session.options.budget)
    for source in sorted(files_below(session.folder), key=_small_first):
        relative = source.relative_to(session.folder)
        if relative.parts[0] == RECORDS:
            continue
        name = str(relative) if redactor is None else redactor.name(str(relative))
        why = _refused(source, session.options.max_bytes, room)
        if not why and relative.parts[0] == "raw" and time.monotonic() > ends:
            why = NO_TIME
        if not why:
            one, why = _copy(source, ready / name, name, redactor)
            copied.append(one)
            room -= one.target.stat().st_size if one.target.exists() else 0
        if why:
            left_out[name] = why
    if redactor is not None:
        left_out |= _once_more([one for one in copied if one.name not in left_out], redactor, ends)
    return left_out


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _small_first(path: Path) -> tuple[bool, int]:
    """What was understood before what was said, and the large traces last: time may run out."""
    return path.parent.name != "parsed", path.stat().st_size


def _refused(source: Path, most: int, room: int) -> str:
    size = source.stat().st_size
    if size > most + LINE_ON_TOP:
        return f"larger than --max-size: {size} bytes"
    return "the bundle is as large as a bundle may be" if size > room else ""


def _copy(source: Path, target: Path, name: str, redactor: Redactor | None) -> tuple[_Copied, str]:
    """What was done, and why it was not."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if redactor is None:
        shutil.copyfile(source, target)
        return _Copied(source, target, name, 0, Counter()), ""
    before = redactor.counts.copy()
    outcome = redact_file(redactor, source, target)
    return _Copied(source, target, name, outcome.lessons, redactor.counts - before), outcome.why


def _once_more(copied: list[_Copied], redactor: Redactor, ends: float) -> dict[str, str]:
    """Those that were written before the last lesson."""
    left_out = {}
    lessons = redactor.lessons
    for one in copied:
        if one.lessons == lessons:
            continue
        redactor.counts -= one.counts
        why = NO_TIME if time.monotonic() > ends and "raw" in one.source.parts else ""
        if not why:
            _, why = _copy(one.source, one.target, one.name, redactor)
        if why:
            one.target.unlink(missing_ok=True)
            left_out[one.name] = why
    return left_out
