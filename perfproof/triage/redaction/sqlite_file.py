"""Redact the SQLite of a profiler: every text of every table, and nothing left on pages that are no longer used.

Nsight Systems stores the environment (TARGET_INFO_SYSTEM_ENV), what the program printed (ProcessStreams, whose text is
in StringIds), host names and the UUIDs of GPUs. Rows of the environment are kept only where they are about hardware;
what the program printed goes; binary columns cannot be looked through and are emptied.
"""

import shutil
import sqlite3
import tempfile
from pathlib import Path

from perfproof.triage.redaction.keys import TELLING_KEYS, kind_of_key, may_stand_under, plain_key
from perfproof.triage.redaction.redactor import Redactor

PRINTED = "[left out: what the program printed]"
SYSTEM, STREAMS, STRINGS = "TARGET_INFO_SYSTEM_ENV", "ProcessStreams", "StringIds"
PRIVATE_ROWS = ("host", "user", "environ", "address", "serial", "uuid", "command", "path", "mac", "boot", "domain")


def redact_sqlite(redactor: Redactor, source: Path, target: Path) -> None:
    """sqlite3.Error where the file is no database, or cannot be changed as needed: then nothing is at `target`."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        copy, clean = Path(folder) / "copy", Path(folder) / "clean"
        shutil.copyfile(source, copy)
        connection = sqlite3.connect(copy)
        try:
            _rewrite(redactor, connection)
            connection.commit()
            connection.execute("VACUUM INTO ?", (str(clean),))
        finally:
            connection.close()
        clean.replace(target)


def _rewrite(redactor: Redactor, connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    _drop_code(connection)
    tables = _tables(connection)
    _drop_printed(connection, tables)
    _drop_environment(redactor, connection, tables)
    for table, columns in tables.items():
        for column in columns:
            _learn_column(redactor, connection, table, column)
    for table, columns in tables.items():
        for column in columns:
            _rewrite_column(redactor, connection, table, column)


def _drop_code(connection: sqlite3.Connection) -> None:
    """Triggers and views: they would run while we change rows, and hold text of their own."""
    rows = connection.execute("SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchall()
    for kind, name in rows:
        connection.execute(f"DROP {kind} {_quoted(name)}")


def _tables(connection: sqlite3.Connection) -> dict[str, list[str]]:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    names = [name for name in names if not name.startswith("sqlite_")]
    return {name: [row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(name)})")] for name in names}


def _drop_printed(connection: sqlite3.Connection, tables: dict[str, list[str]]) -> None:
    if STREAMS not in tables:
        return
    if "contentId" in tables[STREAMS] and {"id", "value"} <= set(tables.get(STRINGS, ())):
        chosen = f"SELECT contentId FROM {STREAMS}"
        connection.execute(f"UPDATE {STRINGS} SET value = ? WHERE id IN ({chosen})", (PRINTED,))
    for column in tables[STREAMS]:
        connection.execute(
            f"UPDATE {STREAMS} SET {_quoted(column)} = ? WHERE typeof({_quoted(column)}) = 'text'", (PRINTED,)
        )


def _drop_environment(redactor: Redactor, connection: sqlite3.Connection, tables: dict[str, list[str]]) -> None:
    if not {"name", "value"} <= set(tables.get(SYSTEM, ())):
        return
    for name, value in connection.execute(f"SELECT name, value FROM {SYSTEM}").fetchall():
        if not any(word in str(name).lower() for word in PRIVATE_ROWS):
            continue
        kind = kind_of_key(str(name))
        if kind and may_stand_under(str(name), kind, str(value)):
            redactor.learn(kind, str(value))
        connection.execute(f"DELETE FROM {SYSTEM} WHERE name = ? AND value IS ?", (name, value))


def _learn_column(redactor: Redactor, connection: sqlite3.Connection, table: str, column: str) -> None:
    kind = kind_of_key(_spaced(column))
    if kind is None or plain_key(_spaced(column)) not in TELLING_KEYS:
        return
    for (value,) in connection.execute(f"SELECT DISTINCT {_quoted(column)} FROM {_quoted(table)}").fetchall():
        if isinstance(value, str) and may_stand_under(_spaced(column), kind, value):
            redactor.learn(kind, value)


def _rewrite_column(redactor: Redactor, connection: sqlite3.Connection, table: str, column: str) -> None:
    name, key = _quoted(column), _spaced(column)
    connection.create_function("redacted", 1, lambda value: redactor.value_under(key, value), deterministic=False)
    connection.execute(f"UPDATE {_quoted(table)} SET {name} = redacted({name}) WHERE typeof({name}) = 'text'")
    emptied = connection.execute(
        f"UPDATE {_quoted(table)} SET {name} = zeroblob(0) WHERE typeof({name}) = 'blob' AND length({name}) > 0"
    )
    redactor.counts["binary-emptied"] += max(0, emptied.rowcount)


def _spaced(column: str) -> str:
    """hostName -> host_name."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in column).lstrip("_")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
