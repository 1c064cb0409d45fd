"""Files of other tools, kept in the artifacts folder, so that the index can be built from it alone.

artifacts/imports/<tool>-<hash>/source.json   the file as it was
artifacts/imports/<tool>-<hash>/import.json   where it comes from; written last: without it the folder does not count
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perfproof.core.atomic import write_atomic
from perfproof.core.errors import DocumentError, UsageError
from perfproof.core.imported import ImportedFile
from perfproof.history.artifacts import make_artifacts
from perfproof.history.foreign import Foreign, Measured, moment, read_foreign
from perfproof.history.index.rows import UNKNOWN, Entry, Row, environment_rows, text

FOLDER, SOURCE, NOTE = "imports", "source.json", "import.json"
MOST_BYTES = 512 * 2**20
OF_A_MACHINE = ("machine", "cpu.", "gpu")  # fields that tell one machine from another; versions do not


def keep_import(
    artifacts_dir: Path | str,
    file: Path,
    commit: str | None,
    date: str | None,
    tags: Sequence[str],
    machine: str | None = None,
) -> tuple[Path, Foreign]:
    """The folder that now holds the file, and what is in it. The same file twice is one import."""
    if machine is not None and not machine.strip():
        raise UsageError("--machine is empty; write the name of the machine that was measured")
    content = _content(file)
    tool, found = read_foreign(content, str(file))
    digest = hashlib.sha256(content).hexdigest()
    note = ImportedFile(
        tool=tool,
        file=file.name,
        sha256=digest,
        started=_started(file, found, date),
        zone="UTC" if date or found.zone_known else "unknown",
        machine=machine,
        commit=commit or found.commit,
        tags=sorted(set(tags)),
    )
    folder = Path(artifacts_dir) / FOLDER / f"{tool}-{digest[:12]}"
    make_artifacts(folder)
    write_atomic(folder / SOURCE, content)
    write_atomic(folder / NOTE, note.model_dump_json(indent=1) + "\n")
    return folder, found


def list_imports(artifacts_dir: Path | str) -> list[Path]:
    parent = Path(artifacts_dir) / FOLDER
    return sorted(path.parent for path in parent.glob(f"*/{NOTE}") if not path.parent.is_symlink())


def read_import(folder: Path) -> Entry:
    try:
        note = ImportedFile.model_validate_json((folder / NOTE).read_bytes())
        content = (folder / SOURCE).read_bytes()
    except (OSError, ValueError) as error:
        raise DocumentError(f"{folder}: not an imported file: {str(error).splitlines()[0]}") from None
    tool, found = read_foreign(content, str(folder / SOURCE))
    return _entry(folder.name, tool, note, found)


def says_machine(fields: Mapping[str, Any], machine: str | None = None) -> bool:
    """Whether it is known where something was measured: only then its times may stand beside others."""
    return bool(machine) or any(name.startswith(OF_A_MACHINE) for name, value in fields.items() if value is not None)


def _entry(name: str, tool: str, note: ImportedFile, found: Foreign) -> Entry:
    named = {"machine": note.machine} if note.machine else {}
    environment = environment_rows(name, {**found.environment, **named})
    fields = sorted((row["field"], row["value"]) for row in environment)
    known = says_machine(found.environment, note.machine)
    shared = {
        "run": name,
        "started": note.started,
        "kind": kind_of(note.machine or found.processor),
        "fingerprint": hashlib.sha256(repr((tool, fields)).encode()).hexdigest()[:16] if known else UNKNOWN,
    }
    run = shared | {
        "source": tool,
        "state": "finished",
        "finished": None,
        "commit_id": note.commit,
        "branch": None,
        "dirty": found.dirty,
        "device": "unknown",
        "effort": "unknown",
        "version": text(found.version),
        "command": "[]",
        "tags": " ".join(note.tags),
    }
    return Entry(run, [_row(place, one, shared) for place, one in enumerate(found.measured)], environment)


def kind_of(name: str) -> str:
    """A machine's name, or its processor's, as a kind of machine is written."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or UNKNOWN


def _row(place: int, one: Measured, shared: Row) -> Row:
    return shared | {
        "place": place,
        "variant": "",
        "target": text(one.name),
        "sizes": "{}",
        "status": "ok",
        "verdict": None,
        "claim": "time",
        "clock": one.clock,
        "statistic": one.statistic,
        "ratio": None,
        "low": None,
        "high": None,
        "launches": one.count,
        "baseline_seconds": None,
        "variant_seconds": one.seconds,
        "tier": "",
        "source_sha256": "",
    }


def _content(file: Path) -> bytes:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UsageError(f"{file} is larger than {MOST_BYTES // 2**20} MiB: no results file")
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None


def _started(file: Path, found: Foreign, date: str | None) -> str:
    if date is not None:
        try:
            return moment(date)
        except ValueError:
            raise UsageError(f"--date {date!r} is no date: write 2026-11-15 or 2026-11-15T10:00:00Z") from None
    return found.started or f"{datetime.fromtimestamp(file.stat().st_mtime, UTC):%Y-%m-%dT%H:%M:%SZ}"
