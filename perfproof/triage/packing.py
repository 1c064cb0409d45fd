"""Redact, describe, pack and scan: the only way from the private folder to something that may be shared.

The reports are written from what was redacted already. The finished archive is looked through once more; if anything is
left that should not be, nothing is kept: no archive, no folder.
"""

import gzip
import hashlib
import json
import os
import tarfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import perfproof
from perfproof import __version__
from perfproof.core.atomic import write_atomic
from perfproof.core.errors import PerfproofError
from perfproof.core.triage import TriageFile, TriageManifest
from perfproof.triage.copying import copy_files, files_below
from perfproof.triage.opening import Bundle, open_bundle
from perfproof.triage.redaction import Redactor, for_this_machine, scan_archive
from perfproof.triage.report import markdown
from perfproof.triage.report_html import page
from perfproof.triage.session import Session

COMPRESSION = 6
TOP = "triage"  # the folder inside every archive
DIRECTORY_MODE, FILE_MODE = 0o755, 0o644


@dataclass(frozen=True)
class Packed:
    archive: Path
    folder: Path
    manifest: TriageManifest


def pack(session: Session) -> Packed:
    session.tell("packing" if not session.options.redact else "redacting and packing")
    ready = session.folder.parent / "ready"
    ready.mkdir(mode=DIRECTORY_MODE)
    redactor = _redactor(session) if session.options.redact else None
    manifest = _manifest(session, redactor, {**session.no_room, **copy_files(session, ready, redactor)})
    _describe(ready, manifest)
    archive = session.folder.parent / f"{session.name}.tgz"
    write_archive(ready, archive)
    if redactor is not None:
        _refuse_leaks(archive, redactor)
    return _publish(session, ready, archive, manifest)


def write_archive(folder: Path, archive: Path) -> None:
    """The same files give the same bytes: sorted, below one name, no times, no owners."""
    with archive.open("wb") as raw, gzip.GzipFile("", "wb", COMPRESSION, raw, mtime=0) as packed:  # noqa: SIM117
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in files_below(folder):
                member = tarfile.TarInfo(f"{TOP}/{path.relative_to(folder)}")
                member.size, member.mode, member.mtime = path.stat().st_size, FILE_MODE, 0
                with path.open("rb") as content:
                    tar.addfile(member, content)


def _redactor(session: Session) -> Redactor:
    redactor = for_this_machine(None)
    redactor.call(str(session.folder), "BUNDLE")
    redactor.call(str(Path(perfproof.__file__).parent), "PERFPROOF")
    redactor.call(os.getcwd(), "FOLDER")
    redactor.environment(os.environ)  # it learns the values of secret variables, to find them elsewhere
    return redactor


def _manifest(session: Session, redactor: Redactor | None, left_out: dict[str, str]) -> TriageManifest:
    manifest = TriageManifest(
        perfproof_version=__version__,
        name=session.name,
        tag=session.options.tag,
        state=session.state,
        started=f"{session.started:%Y-%m-%dT%H:%M:%SZ}",
        finished=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        seconds=round(time.monotonic() - session.began, 3),
        options=session.options.stored(),
        command=list(session.options.command),
        goal=session.goal,
        kpi=session.kpi,
        steps=session.steps,
        redacted=redactor is not None,
        left_out=left_out,
    )
    if redactor is None:
        return manifest
    values: dict[str, Any] = manifest.model_dump()
    values["command"] = redactor.arguments(values["command"])
    for step in values["steps"]:
        for command in step["commands"]:
            command["arguments"] = redactor.arguments(command["arguments"])
    kept = {key: values[key] for key in ("name", "tag", "started", "finished", "perfproof_version")}
    values = {**redactor.json_value(values), **kept}
    return TriageManifest.model_validate({**values, "redactions": dict(redactor.counts)})


def _describe(ready: Path, manifest: TriageManifest) -> None:
    """The reports, then the manifest with the hash of every other file."""
    bundle = Bundle(manifest, _parsed(ready))
    write_atomic(ready / "report.md", markdown(bundle))
    write_atomic(ready / "report.html", page(bundle))
    manifest.files = [
        TriageFile(path=str(path.relative_to(ready)), bytes=path.stat().st_size, sha256=_sha256(path))
        for path in files_below(ready)
    ]
    write_atomic(ready / "manifest.json", manifest.model_dump_json(indent=1) + "\n")


def _refuse_leaks(archive: Path, redactor: Redactor) -> None:
    leaks = scan_archive(archive, redactor.known)
    if leaks:
        first = "; ".join(str(leak) for leak in leaks[:3])
        raise PerfproofError(
            f"no bundle was written: {len(leaks)} thing(s) that must not leave this machine were in it ({first}); "
            "leave out what prints them, or look for yourself with --no-redact and share nothing"
        )


def _publish(session: Session, ready: Path, archive: Path, manifest: TriageManifest) -> Packed:
    """Both appear at once, and complete."""
    root = session.options.output_root
    folder, final = root / session.name, root / archive.name
    ready.rename(folder)
    archive.rename(final)
    open_bundle(final)  # what was written can be read
    return Packed(final, folder, manifest)


def _parsed(folder: Path) -> dict[str, Any]:
    return {path.stem: json.loads(path.read_text()) for path in sorted((folder / "parsed").glob("*.json"))}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
