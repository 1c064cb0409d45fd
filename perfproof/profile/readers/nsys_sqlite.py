"""Databases that `nsys export --type sqlite` makes, of any version.

The list of tables is read first; a table that is not there is "unknown", not empty. The database is opened for reading
only, with its schema not trusted: views, triggers and virtual tables of a stranger's file are not touched, and computed
columns are refused. Times count from the session's start, which is added, so that the files of several ranks agree.
Several processes with device work in one file are ranks, numbered by their ids: `reading.read_each` takes them apart.
"""

import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeGuard

from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT, DEVICE_WORK, LARGEST, Events, Kind, whole
from perfproof.profile.nsys_tables import EXPECTED, GRAPHS, IN_GRAPHS, SOURCES, STRINGS, WHOLE_GRAPHS, Source

MAGIC = b"SQLite format 3\0"
TID, PID = 0x1000000, 0x1000000  # a global thread id holds the process above the thread, 24 bits each
COPY_NAMES = "copyKind"
LONGEST_BYTES = 1 << 26  # of a value; what a program printed is stored as one string
COMPUTED = (2, 3)  # how SQLite marks a column that is worked out when it is read


def recognises(path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(path: Path) -> Events:
    try:
        with closing(_opened(path)) as database:
            return _Export(database, path).events()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # sqlite3 decodes names of columns itself
        raise DocumentError(
            f"{path}: the SQLite database cannot be read: {error}; export it again from the report"
        ) from None


def _opened(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    database.text_factory = lambda text: text.decode("utf-8", errors="replace")
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA cell_size_check=ON")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_BYTES)
    return database


class _Export:
    """An open database: its tables with their columns, and its strings."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self.database = database
        self.path = path
        found = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        plain = [str(name) for name, sql in found if "VIRTUAL" not in str(sql).upper()[:20]]
        self.tables = {name: self._columns(name) for name in plain}
        if not any(name in self.tables for name in (*SOURCES, STRINGS)):
            what = ", ".join(sorted(self.tables)[:5]) or "none"
            raise DocumentError(f"{path}: an SQLite database, but not one of nsys (its tables: {what})")
        self.strings = self._pairs(STRINGS, "id", "value")
        self.left_out = 0

    def events(self) -> Events:
        events = Events("nsys")
        for table, source in SOURCES.items():
            if table in self.tables:
                self._take(events, table, source)
        self._number_processes(events)
        self._metrics(events)
        self._facts(events)
        self._on_the_wall_clock(events)
        for what, tables in EXPECTED.items():
            if not any(table in self.tables for table in tables):
                events.unknown[what] = f"the export has no table {tables[0]}: not traced, or none happened"
        if next(self._rows(GRAPHS), None):
            events.unknown[IN_GRAPHS] = WHOLE_GRAPHS
            events.warnings.append(f"{IN_GRAPHS} are not in the export: {WHOLE_GRAPHS}")
        if self.left_out:
            events.warnings.append(f"{self.left_out} rows without valid times were left out")
        return events

    def _number_processes(self, events: Events) -> None:
        """Several processes with device work are ranks; what others did (a launcher) belongs to none."""
        found = sorted({events.process[row] for row in events.where(*DEVICE_WORK)} - {ABSENT})
        if len(found) < 2:
            return
        ranks = {process: rank for rank, process in enumerate(found)}
        events.rank = array("q", (ranks.get(process, ABSENT) for process in events.process))
        events.about["processes"] = found
        events.warnings.append(f"{len(found)} processes with device work in one file: taken as ranks by their ids")

    def _on_the_wall_clock(self, events: Events) -> None:
        """Unless `nsys export --ts-normalize=true` has done it: no session lasts since 1970."""
        started = events.about.get("started_utc_ns", ABSENT)
        read = (time for series in events.series.values() for time in series.times_ns)
        latest = max(max(events.end_ns, default=0), max(read, default=0))
        if latest < started < LARGEST - latest:
            events.shift(started)

    def _take(self, events: Events, table: str, source: Source) -> None:
        enums = {column: self._enum(name) for column, name in source.enums}
        marks = self._marks()
        for row in self._rows(table):
            start, end, kind = row.get("start"), row.get("end"), source.kind
            if kind == Kind.RANGE and end is None:
                if row.get("eventType") not in marks:
                    continue  # names of threads and domains, and ranges that were never closed
                kind, end = Kind.MARK, start
            if not _is_time(start) or not _is_time(end) or start > end:
                self.left_out += 1
                continue
            args = {column: row[column] for column in source.keep if row.get(column) is not None}
            args |= {column: named.get(row[column], row[column]) for column, named in enums.items() if column in row}
            process, thread = _owner(row)
            events.add(
                kind,
                self._name(row, source, args),
                start,
                end,
                stream=row.get("streamId"),
                device=row.get("deviceId"),
                correlation=row.get("correlationId"),
                thread=thread,
                process=process,
                bytes=row.get("bytes"),
                args=args,
            )

    def _name(self, row: dict[str, Any], source: Source, args: dict[str, Any]) -> str:
        if isinstance(row.get(source.text), str):
            return row[source.text]
        for column in source.name:
            if row.get(column) in self.strings:
                return self.strings[row[column]]
        if COPY_NAMES in args:
            memory = [str(args[column]) for column in ("srcKind", "dstKind") if column in args]
            return f"Memcpy {args[COPY_NAMES]}" + (f" ({' -> '.join(memory)})" if len(memory) == 2 else "")
        named = args.get("syncType")
        return named if isinstance(named, str) else source.fallback

    def _metrics(self, events: Events) -> None:
        """GPU metrics sampled by nsys, each a series; of several GPUs, each with its number."""
        names = {
            (row.get("typeId"), row.get("metricId")): str(row.get("metricName"))
            for row in self._rows("TARGET_INFO_GPU_METRICS")
        }
        kinds = sorted({str(kind) for kind, _ in names})
        for row in self._rows("GPU_METRICS"):
            time, value = row.get("timestamp"), row.get("value")
            if not _is_time(time) or not isinstance(value, int | float):
                self.left_out += 1
                continue
            kind, metric = row.get("typeId"), row.get("metricId")
            name = names.get((kind, metric), f"metric {metric}")
            events.read(name if len(kinds) < 2 else f"gpu metrics {kind}.{name}", time, value)

    def _facts(self, events: Events) -> None:
        gpus = list(self._rows("TARGET_INFO_GPU"))
        if gpus:
            events.about["gpus"] = gpus
        for row in self._rows("TARGET_INFO_SESSION_START_TIME"):
            if (started := whole(row.get("utcEpochNs"))) != ABSENT:
                events.about["started_utc_ns"] = started
        for row in self._rows("EXPORT_META_DATA"):
            if row.get("name") in ("EXPORT_SCHEMA_VERSION", "EXPORT_PRODUCT_VERSION"):
                events.about[str(row["name"]).lower()] = row.get("value")
        severities = self._enum("ENUM_DIAGNOSTIC_SEVERITY_LEVEL") or self._enum("ENUM_DIAGNOSTIC_SEVERITY")
        for row in self._rows("DIAGNOSTIC_EVENT"):
            severity = str(severities.get(row.get("severity"), row.get("severity")))
            text = row.get("text") or self.strings.get(row.get("textId"))
            if isinstance(text, str) and any(word in severity.lower() for word in ("warn", "error", "fatal")):
                events.warnings.append(f"nsys: {' '.join(text.split())[:300]}")

    def _marks(self) -> set[Any]:
        """The event types that are moments. An export without the table of types has none that can be told."""
        return {number for number, name in self._enum("ENUM_NSYS_EVENT_TYPE").items() if "mark" in str(name).lower()}

    def _enum(self, table: str) -> dict[Any, Any]:
        columns = self.tables.get(table, [])
        return self._pairs(table, "id", "label" if "label" in columns else "name")

    def _pairs(self, table: str, key: str, value: str) -> dict[Any, Any]:
        return {row[key]: row[value] for row in self._rows(table) if key in row and isinstance(row.get(value), str)}

    def _rows(self, table: str) -> Iterator[dict[str, Any]]:
        columns = self.tables.get(table)
        if columns:
            for values in self.database.execute(f"SELECT * FROM {_quoted(table)}"):
                yield dict(zip(columns, values, strict=False))

    def _columns(self, table: str) -> list[str]:
        """As `SELECT *` gives them. A few bytes of a computed column can make a gigabyte of each row."""
        columns = self.database.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall()
        if any(hidden in COMPUTED for _, hidden in columns):
            raise DocumentError(f"{self.path}: the table {table!r} has computed columns, which nsys never writes")
        return [str(name) for name, hidden in columns if not hidden]


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


def _is_time(value: object) -> TypeGuard[int]:
    return type(value) is int and -LARGEST < value < LARGEST


def _owner(row: dict[str, Any]) -> tuple[int, int]:
    """Process and thread, from whichever id the table has."""
    thread, process = row.get("globalTid"), row.get("globalPid")
    if type(thread) is int:
        return (thread // TID) % PID, thread % TID
    return ((process // TID) % PID if type(process) is int else ABSENT), ABSENT
