"""What other tools measured, as the index sees it; which tool wrote a file is told by its content."""

import importlib
import json
import math
import pkgutil
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.history import imports

GZIP = b"\x1f\x8b"
MOST_BYTES = 512 * 2**20  # of results, unpacked


@dataclass(frozen=True)
class Measured:
    """One benchmark: the tool's own median, or its mean where it gives no other."""

    name: str
    seconds: float
    statistic: str = "median"
    clock: str = "wall"
    count: int | None = None  # of the values behind it


@dataclass(frozen=True)
class Foreign:
    measured: list[Measured]
    started: str | None = None
    zone_known: bool = True  # of `started`; without it that is the local time of a machine somewhere
    commit: str | None = None
    dirty: bool | None = None
    version: str = "unknown"
    processor: str = ""
    environment: Mapping[str, Any] = field(default_factory=dict)  # host names stay out
    left_out: list[str] = field(default_factory=list)  # what is in the file and is no time


def tools() -> dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(imports.__path__))
    found = [importlib.import_module(f"{imports.__name__}.{name}") for name in names]
    return {module.NAME: module for module in found}


def read_foreign(content: bytes, where: str) -> tuple[str, Foreign]:
    """The tool, and what it measured."""
    content = _unpacked(content, where)
    try:
        raw = _table(content) or json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"{where}: not JSON: {error}; export the results as JSON") from None
    known = tools()
    name = next((name for name, module in known.items() if _is_of(module, raw)), None)
    if name is None:
        raise DocumentError(f"{where}: written by none of {', '.join(known)}, as far as its content tells")
    try:
        found = known[name].read(raw)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise DocumentError(f"{where}: not as {name} writes it: {type(error).__name__}: {error}") from None
    if not found.measured:
        raise DocumentError(f"{where}: {name} measured no time in it{_why(found)}")
    return name, found


def moment(text: str) -> str:
    """ISO 8601 to the form of our documents. Without a zone the hours stay as written; `has_zone` tells."""
    read = _read(text)
    read = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    return f"{read:%Y-%m-%dT%H:%M:%SZ}"


def has_zone(text: str) -> bool:
    return _read(text).tzinfo is not None


def times_only(read: Iterable[Measured]) -> tuple[list[Measured], list[str]]:
    """The times, and what is none: tools write 0 below the resolution of their clock, NaN for what they skipped."""
    times, left_out = [], []
    for one in read:
        if one.seconds > 0:
            times.append(one)
        else:
            left_out.append(f"{one.name}: {'skipped (NaN)' if math.isnan(one.seconds) else '0 is no time'}")
    return times, left_out


def reading(value: Any) -> float:
    """What a clock gave: a time, 0 or NaN; see `times_only`."""
    number = float(value)
    return number if number == 0 or math.isnan(number) else positive(number)


def positive(value: Any) -> float:
    """A time: a number above 0."""
    number = float(value)
    if not 0 < number < float("inf"):
        raise ValueError(f"{value!r} is no time")
    return number


def _table(content: bytes) -> dict[str, Any] | None:
    """What a tool that also writes CSV says in it, in the form of its JSON; None if it is none of those tables."""
    if content.lstrip()[:1] in (b"{", b"["):
        return None
    readers = [module.from_csv for module in tools().values() if hasattr(module, "from_csv")]
    text = content.decode("utf-8-sig", errors="replace")
    return next((found for read in readers if (found := read(text))), None)


def _unpacked(content: bytes, where: str) -> bytes:
    """Of a file that is packed with gzip, as pyperf writes `.json.gz`."""
    if not content.startswith(GZIP):
        return content
    try:
        unpacked = zlib.decompressobj(wbits=31)
        found = unpacked.decompress(content, MOST_BYTES)
    except zlib.error as error:
        raise DocumentError(f"{where}: the gzip file is damaged: {error}") from None
    if unpacked.unconsumed_tail:
        raise DocumentError(f"{where}: unpacks to more than {MOST_BYTES >> 20} MiB, more than results can be")
    if not unpacked.eof:
        raise DocumentError(f"{where}: the gzip file is cut off; copy it again")
    return found


def _read(text: str) -> datetime:
    return datetime.fromisoformat(text.replace(" ", "T", 1))


def _is_of(module: ModuleType, raw: Any) -> bool:
    return isinstance(raw, dict) and bool(module.recognise(raw))


def _why(found: Foreign) -> str:
    return f" ({'; '.join(found.left_out[:3])})" if found.left_out else ""
