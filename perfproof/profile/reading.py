"""Read any profile with the reader that knows it. A reader is a file in readers/ with `recognises` and `read`."""

import importlib
import zlib
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, by_rank
from perfproof.profile import readers
from perfproof.profile.opening import GZIP

HEAD = 64 * 1024

UTF_16 = "text in UTF-16, as `>` of PowerShell writes it; save it as UTF-8: `iconv -f UTF-16 {name} > {stem}.txt`"
# What people give us that no reader knows: how the file begins (or is called), what it is, what to do.
FOREIGN_STARTS = {
    b"PERFILE2": "data of `perf record`; make text of it: `perf script -i {name} > {stem}.txt`",
    b"memray\0": "a recording of memray; make stacks of it: `memray flamegraph` or `memray stats --json`",
    b"QDSTRM": "an unfinished recording of nsys, which had no importer; open it with a full installation of nsys",
    b"PK\3\4": "a zip archive; unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first",
    b"\xff\xfe": UTF_16,
    b"\xfe\xff": UTF_16,
    b"\x7fELF": "a program",
    b"<!DOCTYPE": "an HTML page",
    b"<html": "an HTML page",
}
FOREIGN_SUFFIXES = {
    ".nsys-rep": "a report of nsys; make a database of it: `nsys export --type sqlite -o {stem}.sqlite {name}`",
    ".qdrep": "an old report of nsys; make a database of it: `nsys export --type sqlite -o {stem}.sqlite {name}`",
    ".qdstrm": "an unfinished recording of nsys, which had no importer; open it with a full installation of nsys",
    ".ncu-rep": "a report of ncu, which has counters and no times: `perfproof roofline {name}`",
}
DIAGNOSED_TOO = "pages of ncu as CSV or text, .ncu-rep, logs of torch.compile, ceilings of `perfproof peak`"
NCU_PAGE = b'"Kernel Name"'


def reader_files() -> list[str]:
    """The names of all readers: the folder is the list."""
    return sorted(path.stem for folder in readers.__path__ for path in Path(folder).glob("[a-z]*.py"))


def read(path: Path | str) -> Events:
    """The events of a file. DocumentError in one line: what the file is, and why it cannot be read."""
    path = Path(path)
    head = _head(path)
    for name in reader_files():
        reader = importlib.import_module(f"{readers.__name__}.{name}")
        if reader.recognises(path, head):
            return _read(reader, path)
    raise DocumentError(f"{path}: {_what_it_is(path, head)}")


def read_each(path: Path | str) -> list[Events]:
    """A table for each process of a file that holds several (nsys records all that a command starts), else one."""
    events = read(path)
    return by_rank(events) if events.about.get("processes") else [events]


def _read(reader: Any, path: Path) -> Events:
    try:
        return reader.read(path)
    except DocumentError:
        raise
    except MemoryError:
        raise DocumentError(f"{path}: needs more memory to read than there is") from None


def _head(path: Path) -> bytes:
    """How the content begins, unpacked."""
    if path.is_dir():
        raise DocumentError(f"{path}: is a folder; give the files in it")
    if not path.exists():
        raise DocumentError(f"{path}: there is no such file; `perfproof profile -- COMMAND` records one")
    if not path.is_file():
        raise DocumentError(f"{path}: is not a plain file")
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}") from None
    if not head:
        raise DocumentError(f"{path}: is empty; the profiler wrote nothing, or was ended before it did")
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, HEAD)
        except zlib.error as error:
            raise DocumentError(f"{path}: the gzip file is damaged: {error}") from None
    return head


def _what_it_is(path: Path, head: bytes) -> str:
    names = {"name": path.name, "stem": path.stem}
    for start, what in FOREIGN_STARTS.items():
        if head.lower().startswith(start.lower()):
            return what.format(**names)
    for suffix, what in FOREIGN_SUFFIXES.items():
        if path.name.endswith(suffix):
            return what.format(**names)
    if NCU_PAGE in head:
        return "a page of ncu, which has counters and no times: `perfproof roofline` reads it"
    known = ", ".join(name.replace("_", " ") for name in reader_files())
    return f"no profile that can be read here; these can: {known}; and by `perfproof diagnose`: {DIAGNOSED_TOO}"
