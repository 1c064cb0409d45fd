"""Every member of an archive as bytes, those of archives within it too, as far as limits allow.

Told by content, not by name: tar, zip, gzip, bzip2, xz; the texts of a SQLite database are a member of their own: a
long one is scattered over its pages. Where a limit is reached, or something is damaged, a member says so.
"""

import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
UNKNOWN_PACKED: dict[bytes, Any] = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"Rar!": "rar",
    b"\x04\x22\x4d\x18": "lz4",
}
DAMAGED = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
           sqlite3.Error, RuntimeError, NotImplementedError)  # fmt: skip


@dataclass
class Limits:
    """Of the whole archive, and of one member, unpacked; and how deep archives may lie in each other."""

    total: int = 4 * 2**30
    member: int = 512 * 2**20
    depth: int = 5
    seen: int = field(default=0, repr=False)
    number: int = field(default=0, repr=False)


@dataclass(frozen=True)
class Member:
    name: str
    number: int
    data: bytes = b""
    why: str = ""  # it was not looked through


def members(path: Path, limits: Limits) -> Iterator[Member]:
    try:
        with path.open("rb") as file:
            data = file.read(limits.member + 1)
    except OSError as error:
        yield _refused(path.name, limits, error.strerror or "cannot be read")
        return
    yield from _opened(path.name, data, limits, 0)


def _opened(name: str, data: bytes, limits: Limits, depth: int) -> Iterator[Member]:
    """A member itself, and what is in it."""
    limits.seen += len(data)
    if len(data) > limits.member or limits.seen > limits.total:
        yield _refused(name, limits, "too large: more than the limit of the scan")
        return
    packed = next((tool for magic, tool in UNKNOWN_PACKED.items() if data.startswith(magic)), "")
    if packed:
        yield _refused(name, limits, f"packed with {packed}, which cannot be opened here")
        return
    limits.number += 1
    yield Member(name, limits.number, data)
    try:
        for inner, content in _inside(name, data, limits):
            if depth >= limits.depth:
                yield _refused(name, limits, "archives lie too deep in each other")
                return
            yield from _opened(inner, content, limits, depth + 1)
    except DAMAGED as error:
        yield _refused(name, limits, f"cannot be opened: {type(error).__name__}")


def _inside(name: str, data: bytes, limits: Limits) -> Iterator[tuple[str, bytes]]:
    opener = next((one for magic, one in PACKED.items() if data.startswith(magic)), None)
    if opener is not None:
        with opener(io.BytesIO(data), "rb") as file:
            yield f"{name}!", file.read(limits.member + 1)
    elif data[257:262] == b"ustar":
        yield from _in_tar(name, data, limits)
    elif data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _in_zip(name, data, limits)
    elif data.startswith(b"SQLite format 3\x00"):
        yield f"{name}!texts", _texts_of_database(data)


def _in_tar(name: str, data: bytes, limits: Limits) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for info in archive:
            said = "\n".join([info.linkname, info.uname, info.gname, *map(str, info.pax_headers.values())])
            file: IO[bytes] | None = archive.extractfile(info) if info.isfile() else None
            yield f"{name}/{info.name}", file.read(limits.member + 1) if file else b""
            if said.strip():
                yield f"{name}/{info.name}!header", said.encode("utf-8", "surrogateescape")


def _in_zip(name: str, data: bytes, limits: Limits) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            with archive.open(info) as file:  # an encrypted one raises RuntimeError
                yield f"{name}/{info.filename}", file.read(limits.member + 1)
            if info.comment:
                yield f"{name}/{info.filename}!header", info.comment


def _texts_of_database(data: bytes) -> bytes:
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(data)
        connection.text_factory = bytes
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        found: list[bytes] = []
        for (table,) in tables:
            quoted = table.decode("utf-8", "replace").replace('"', '""')
            for row in connection.execute(f'SELECT * FROM "{quoted}"'):
                found += [value for value in row if isinstance(value, bytes)]
        return b"\n".join(found).replace(b"\0", b" ")
    finally:
        connection.close()


def _refused(name: str, limits: Limits, why: str) -> Member:
    limits.number += 1
    return Member(name, limits.number, why=why)
