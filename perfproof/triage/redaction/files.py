"""Redact a file by its kind. What cannot be looked through is left out, with the reason; nothing is copied unseen."""

import csv
import gzip
import io
import json
import re
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from perfproof.triage.redaction.json_text import JsonRewriter
from perfproof.triage.redaction.keys import TELLING_KEYS, kind_of_key, may_stand_under, plain_key
from perfproof.triage.redaction.redactor import Redactor
from perfproof.triage.redaction.sqlite_file import redact_sqlite
from perfproof.triage.redaction.tables import csv_columns

LARGEST_TEXT = 256 * 2**20  # read as a whole: a key may go over many lines
LARGEST_JSON = 8 * 2**30
PIECE = 2**20
MOST_NUL = 64
LONGEST_PAIR = 512  # of a key and the name behind it
CANNOT = {
    ".nsys-rep": "Nsight Systems report", ".qdrep": "Nsight Systems report", ".ncu-rep": "Nsight Compute report",
    ".pickle": "pickle", ".pkl": "pickle", ".pt": "pickle", ".pth": "pickle", ".data": "recording of perf",
    ".core": "memory image", ".npy": "array", ".npz": "array", ".so": "binary",
}  # fmt: skip
KINDS = {
    ".json": "json",
    ".jsonl": "json",
    ".ipynb": "notebook",
    ".csv": "csv",
    ".tsv": "csv",
    ".sqlite": "sqlite",
    ".db": "sqlite",
}
TELLING_PAIR = re.compile(r'"(' + "|".join(sorted(TELLING_KEYS)) + r')"\s*:\s*"([^"\\]{1,255})"', re.IGNORECASE)


@dataclass(frozen=True)
class Outcome:
    done: bool
    kind: str
    why: str = ""  # it was left out
    lessons: int = 0  # what the redactor had learned before it wrote: with more, the file would look different


def redact_file(redactor: Redactor, source: Path, target: Path, kind: str | None = None) -> Outcome:
    suffixes = [suffix.lower() for suffix in source.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    last = (suffixes[-2:-1] if zipped else suffixes[-1:]) or [""]
    kind = kind or KINDS.get(last[0], "text")
    if last[0] in CANNOT:
        return Outcome(False, kind, f"{CANNOT[last[0]]}: cannot be scrubbed, left out")
    work = {
        "notebook": _redact_notebook,
        "json": _redact_json,
        "csv": _redact_csv,
        "text": _redact_text,
        "sqlite": _redact_database,
    }
    if kind not in work:
        return Outcome(False, kind, f"no way is known to look through a file of kind {kind!r}: left out")
    try:
        lessons = work[kind](redactor, source, target, zipped)
    except (OSError, EOFError, ValueError, zlib.error, sqlite3.Error) as error:
        target.unlink(missing_ok=True)
        return Outcome(False, kind, f"{redactor.text(_reason(error))}: left out")
    return Outcome(True, kind, lessons=lessons)


def _redact_text(redactor: Redactor, source: Path, target: Path, zipped: bool) -> int:
    _write(target, redactor.text(_whole(source, zipped)), zipped)
    return redactor.lessons


def _redact_csv(redactor: Redactor, source: Path, target: Path, zipped: bool) -> int:
    """Telling columns go cell by cell, names are learned from them; then it is text, and its quoting stays."""
    text = _whole(source, zipped)
    pieces, at = [], 0
    for start, end, kind in csv_columns(text):
        pieces += [text[at:start], redactor.cell(kind, text[start:end])]
        at = end
    text = "".join([*pieces, text[at:]])
    for kind, value in _named_columns(text):
        redactor.learn(kind, value)
    _write(target, redactor.text(text), zipped)
    return redactor.lessons


def _named_columns(text: str) -> Iterator[tuple[str, str]]:
    low = text.lower()
    if not any(word in low for word in ("name", "fqdn")):  # none of TELLING_KEYS
        return
    columns: dict[int, tuple[str, str]] = {}
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        header = {at: (cell, kind) for at, cell in enumerate(row) if (kind := _telling_kind(cell))}
        if header:
            columns = header
            continue
        for at, (head, kind) in columns.items():
            if at < len(row) and may_stand_under(head, kind, row[at]):
                yield kind, row[at]


def _telling_kind(cell: str) -> str | None:
    return kind_of_key(cell) if plain_key(cell) in TELLING_KEYS else None


def _redact_json(redactor: Redactor, source: Path, target: Path, zipped: bool) -> int:
    before = ""
    for piece in _pieces(source, zipped):  # a trace often says at its end whose it is
        for key, value in TELLING_PAIR.findall(before + piece):
            kind = kind_of_key(key)
            if kind and may_stand_under(key, kind, value):
                redactor.learn(kind, value)
        before = piece[-LONGEST_PAIR:]
    rewriter, lessons = JsonRewriter(redactor), redactor.lessons
    with _opened_for_writing(target, zipped) as out:
        for piece in _pieces(source, zipped):
            out.write(_bytes(rewriter.feed(piece)))
        out.write(_bytes(rewriter.close()))
    return lessons


def _redact_notebook(redactor: Redactor, source: Path, target: Path, zipped: bool) -> int:
    """A cell is a list of lines: they are looked at together, because a value may stand on the line below its name."""
    text = _whole(source, zipped)
    try:
        document = json.loads(text)
    except ValueError:  # no notebook: as a text
        _write(target, redactor.text(text), zipped)
        return redactor.lessons
    _write(target, json.dumps(redactor.json_value(_joined(document)), indent=1, ensure_ascii=False) + "\n", zipped)
    return redactor.lessons


def _joined(value: Any) -> Any:
    """Lists of lines as one text; notebooks allow both."""
    if isinstance(value, dict):
        return {name: _joined(one) for name, one in value.items()}
    if isinstance(value, list):
        lines = (
            bool(value) and all(isinstance(one, str) for one in value) and all(one.endswith("\n") for one in value[:-1])
        )
        return (
            "".join(value) if lines and (len(value) > 1 or value[0].endswith("\n")) else [_joined(one) for one in value]
        )
    return value


def _redact_database(redactor: Redactor, source: Path, target: Path, zipped: bool) -> int:
    if zipped:
        raise ValueError("a compressed database")
    lessons = redactor.lessons
    redact_sqlite(redactor, source, target)
    return lessons


def _whole(source: Path, zipped: bool) -> str:
    with _opened(source, zipped) as file:
        data = file.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        raise ValueError(f"more than {LARGEST_TEXT // 2**20} MiB of text")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    return _without_nul(data).decode("utf-8", "surrogateescape")


def _without_nul(data: bytes) -> bytes:
    """A few NUL bytes in a log, as a full disk or a crash leaves them, are shown as U+FFFD; with many it is no text."""
    count = data.count(b"\0")
    if count > MOST_NUL and count > len(data) // 1000:
        raise ValueError("binary data")
    return data.replace(b"\0", "\ufffd".encode()) if count else data


def _pieces(source: Path, zipped: bool) -> Iterator[str]:
    """The text in pieces that end between two bytes of ASCII, so that no character is cut."""
    rest, total = b"", 0
    with _opened(source, zipped) as file:
        while data := file.read(PIECE):
            total += len(data)
            if total > LARGEST_JSON:
                raise ValueError("more than 8 GiB")
            data = rest + _without_nul(data)
            cut = len(data)
            while cut and cut > len(data) - 4 and data[cut - 1] >= 0x80:
                cut -= 1
            rest = data[cut:]
            yield data[:cut].decode("utf-8", "surrogateescape")
    yield rest.decode("utf-8", "surrogateescape")


def _write(target: Path, text: str, zipped: bool) -> None:
    with _opened_for_writing(target, zipped) as out:
        out.write(_bytes(text))


def _opened(path: Path, zipped: bool) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb")) if zipped else path.open("rb")


def _opened_for_writing(path: Path, zipped: bool) -> IO[bytes]:
    """A compressed file carries neither a name nor a time: the same content gives the same bytes."""
    return cast(IO[bytes], gzip.GzipFile(path, "wb", mtime=0)) if zipped else path.open("wb")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error) or type(error).__name__
