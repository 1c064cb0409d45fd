"""Put runs into the index: each whole, in the place of whatever the index held of it before."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert
from sqlalchemy.dialects import postgresql, sqlite

from perfproof.history.index import tables
from perfproof.history.index.rows import Entry
from perfproof.history.index.store import Store

UPDATED = [column.name for column in tables.runs.columns if not column.primary_key]


def write_entries(store: Store, entries: Sequence[Entry]) -> None:
    """All of them in one transaction. Ordered by name, so that two writers never wait for each other in a ring."""
    ordered = sorted({entry.run["run"]: entry for entry in entries}.values(), key=lambda one: one.run["run"])
    if ordered:
        store.write(lambda connection: put(connection, ordered))


def put(connection: Connection, entries: Sequence[Entry]) -> None:
    """A run's row first: its lock keeps two writers of one run apart."""
    connection.execute(_upsert(connection), [entry.run for entry in entries])
    names = [{"name": entry.run["run"]} for entry in entries]
    for table, rows in (
        (tables.results, [row for entry in entries for row in entry.results]),
        (tables.environment, [row for entry in entries for row in entry.environment]),
    ):
        connection.execute(delete(table).where(table.c.run == bindparam("name")), names)
        if rows:
            _fill(connection, table, rows)


def forget(store: Store, runs: Sequence[str]) -> None:
    """Runs that are no longer there; what belongs to them goes with them."""
    names = [{"name": run} for run in sorted(runs)]
    if names:
        statement = delete(tables.runs).where(tables.runs.c.run == bindparam("name"))
        store.write(lambda connection: connection.execute(statement, names))


def _upsert(connection: Connection) -> Any:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(tables.runs)
    new = {name: statement.excluded[name] for name in UPDATED}
    return statement.on_conflict_do_update(index_elements=["run"], set_=new)


def _fill(connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
    """Many rows at once, by the way that is fastest in each database."""
    if connection.dialect.name != "postgresql":
        connection.execute(insert(table), rows)
        return
    names = [column.name for column in table.columns]
    cursor: Any = connection.connection.cursor()
    with cursor, cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([row[name] for name in names])
