"""Open a bundle that came from somewhere: nothing of it is unpacked, run or believed to be small.

Only the manifest and the parsed documents are read, into memory, as JSON. A name that leads out of the archive, a link,
a device, a name that comes twice, too many members or too many bytes: the whole bundle is refused.
"""

import gzip
import json
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from perfproof.core.errors import DocumentError
from perfproof.core.triage import SCHEMA_VERSION, TriageManifest

MOST_MEMBERS = 5_000
MOST_BYTES = 512 << 20  # of everything, unpacked
MOST_DOCUMENT_BYTES = 64 << 20
MANIFEST = "manifest.json"
ROOT = Path("artifacts/triage")


@dataclass(frozen=True)
class Bundle:
    manifest: TriageManifest
    parsed: dict[str, Any]  # name of the document, without .json

    def document(self, name: str) -> dict[str, Any]:
        found = self.parsed.get(name)
        return found if isinstance(found, dict) else {}


def find_bundle(path: Path, root: Path = ROOT) -> Path:
    """`latest` and `previous` are the newest bundles of the folder that bundles go to by default."""
    if str(path) not in ("latest", "previous") or path.exists():
        return path
    found = sorted(root.glob("triage-*.tgz"), key=lambda one: (one.stat().st_mtime_ns, one.name))
    at = 1 if str(path) == "latest" else 2
    if len(found) < at:
        raise DocumentError(f"{path}: {root} holds {len(found)} bundle(s); make one with `perfproof triage`")
    return found[-at]


def open_bundle(path: Path) -> Bundle:
    """A folder or an archive; DocumentError for what is no bundle, or no safe one."""
    path = find_bundle(path)
    if path.is_dir():
        texts = _read_folder(path)
    elif path.is_file():
        texts = _read_archive(path)
    else:
        raise DocumentError(f"{path}: there is no such bundle; give a .tgz of `perfproof triage`, or its folder")
    if MANIFEST not in texts:
        raise DocumentError(f"{path}: no triage bundle: it has no {MANIFEST}")
    values = {name: _json(path, name, text) for name, text in texts.items()}
    manifest = _manifest(path, values.pop(MANIFEST))
    return Bundle(manifest, {PurePosixPath(name).stem: value for name, value in values.items()})


def _manifest(path: Path, value: Any) -> TriageManifest:
    version = value.get("schema_version") if isinstance(value, dict) else None
    if not isinstance(version, int):
        raise DocumentError(f"{path}: {MANIFEST} is no manifest of a triage bundle")
    if version > SCHEMA_VERSION:
        raise DocumentError(
            f"{path}: written by a newer perfproof: schema version {version}, this one reads up to {SCHEMA_VERSION}"
        )
    try:
        return TriageManifest.model_validate(value)
    except ValueError as error:
        raise DocumentError(f"{path}: {MANIFEST} is damaged: {' '.join(str(error).split())[:200]}") from None


def _read_folder(path: Path) -> dict[str, bytes]:
    found = {}
    for file in [path / MANIFEST, *sorted((path / "parsed").glob("*.json"))]:
        if file.is_symlink() or not file.is_file():
            continue
        if file.stat().st_size > MOST_DOCUMENT_BYTES:
            raise DocumentError(f"{file}: larger than any document of a bundle")
        found[str(file.relative_to(path))] = file.read_bytes()
    return found


def _read_archive(path: Path) -> dict[str, bytes]:
    try:
        with path.open("rb") as file, gzip.open(file, "rb") as unpacked:
            return _read_members(path, Bounded(path, unpacked))  # type: ignore[arg-type]
    except (OSError, EOFError, zlib.error, tarfile.TarError, UnicodeDecodeError) as error:
        raise DocumentError(f"{path}: no triage bundle: {' '.join(str(error).split())[:200]}") from None


def _read_members(path: Path, stream: "Bounded") -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    seen: set[str] = set()
    with tarfile.open(fileobj=stream, mode="r|") as tar:  # type: ignore[call-overload]
        for member in tar:
            name = _inside(path, member)
            if name in seen or len(seen) >= MOST_MEMBERS:
                raise DocumentError(f"{path}: refused: {member.name!r} comes twice, or it has too many members")
            seen.add(name)
            if name == MANIFEST or (name.startswith("parsed/") and name.endswith(".json") and name.count("/") == 1):
                if member.size > MOST_DOCUMENT_BYTES:
                    raise DocumentError(f"{path}: refused: {name} is larger than any document of a bundle")
                content = tar.extractfile(member)
                found[name] = content.read() if content else b""
    return found


def _inside(path: Path, member: tarfile.TarInfo) -> str:
    """The member's name below the bundle's own folder, if it is a plain file that stays there."""
    parts = PurePosixPath(member.name).parts
    if not member.isfile() or len(parts) < 2 or member.name.startswith("/") or ".." in parts or "\0" in member.name:
        raise DocumentError(f"{path}: refused: {member.name!r} is no plain file inside the bundle")
    return str(PurePosixPath(*parts[1:]))


class Bounded:
    """A stream that gives up instead of growing without end: a few kilobytes can unpack to terabytes."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.path, self.stream, self.left = path, stream, MOST_BYTES

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise DocumentError(f"{self.path}: refused: it unpacks to more than {MOST_BYTES >> 20} MiB")
        return data


def _json(path: Path, name: str, text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"{path}: {name} is not JSON: {' '.join(str(error).split())[:200]}") from None
