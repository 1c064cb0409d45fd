"""The database that holds the index: a SQLite file beside the run folders, or a PostgreSQL server by its URL.

Many processes may write at once. SQLite lets one write at a time: a writer takes the lock at the start of its
transaction and waits for it; PostgreSQL may end one of two transactions that wait for each other. Either way the work
is done again, so whoever calls `write` hands over work that can be.
"""

import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Select, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError

from perfproof.core.errors import DocumentError, UsageError
from perfproof.history.index.migrations import bring_up

BUSY_SECONDS, TRIES = 30.0, 8
CONNECT_SECONDS = 10
PASSING = ("locked", "busy", "deadlock", "could not serialize")
DAMAGED = ("not a database", "malformed", "disk image")
T = TypeVar("T")


@dataclass(frozen=True)
class Store:
    engine: Engine

    @property
    def shown(self) -> str:
        """Where it is, without a password."""
        database = self.engine.url.database
        return str(database) if self.is_file else self.engine.url.render_as_string(hide_password=True)

    @property
    def is_file(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    def read(self, work: Callable[[Connection], T]) -> T:
        return self._carry_out(work, writes=False)

    def rows(self, statement: Select[Any]) -> Sequence[Any]:
        return self.read(lambda connection: connection.execute(statement).all())

    def write(self, work: Callable[[Connection], T]) -> T:
        """`work` in one transaction, all of it or nothing; it may be called again."""
        return self._carry_out(work, writes=True)

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _carry_out(self, work: Callable[[Connection], T], writes: bool) -> T:
        for number in range(1, TRIES + 1):
            try:
                with self.engine.connect().execution_options(writes=writes) as connection, connection.begin():
                    return work(connection)
            except DatabaseError as error:
                said = str(error.orig)
                if number == TRIES or not any(word in said for word in PASSING):
                    raise self._refusal(error, said) from None
                time.sleep(random.uniform(0, 0.05 * 2**number))
        raise AssertionError("unreachable")

    def _refusal(self, error: DatabaseError, said: str) -> Exception:
        line = " ".join(said.split())
        if any(word in said for word in DAMAGED):
            return DocumentError(
                f"{self.shown}: the index is damaged ({line}); `perfproof history reindex` rebuilds it "
                "(remove it first, if --store names it)"
            )
        if isinstance(error, OperationalError):
            return UsageError(f"{self.shown}: the index cannot be used: {line}; choose another --store")
        return error


def open_store(place: Path | str) -> Store:
    """A path, or a URL; its tables are made or brought up to date."""
    store = connect(place)
    store.write(bring_up)
    return store


def connect(place: Path | str) -> Store:
    """The store as it is."""
    text = str(place)
    if "://" not in text:
        text = f"sqlite:///{text}"
    if text.startswith(("postgresql://", "postgres://")):
        text = f"postgresql+psycopg://{text.partition('://')[2]}"
    try:
        url = make_url(text)
        if url.drivername not in ("sqlite", "postgresql+psycopg"):
            raise UsageError(f"--store: {url.drivername} is unknown; write a path or postgresql://USER@HOST/NAME")
        engine = _sqlite(url) if url.drivername == "sqlite" else _postgres(url)
    except (ArgumentError, NoSuchModuleError):
        raise UsageError("--store is no address of a database; write a path or postgresql://USER@HOST/NAME") from None
    return Store(engine)


def _postgres(url: Any) -> Engine:
    try:
        return create_engine(url, connect_args={"connect_timeout": CONNECT_SECONDS})
    except ModuleNotFoundError:
        raise UsageError("a PostgreSQL store needs psycopg: pip install 'perfproof[postgres]'") from None


def _sqlite(url: Any) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions are begun below, by name
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")  # a crash of the machine may lose the last runs: reindex
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
