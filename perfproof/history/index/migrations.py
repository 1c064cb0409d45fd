"""The steps from one version of the index to the next, in order; a step, once published, is never changed.

A database says which version it is. An older one is brought up, a newer one is refused: it can be rebuilt at any time.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from sqlalchemy import Connection, insert, inspect, select, text, update

from perfproof.core.errors import DocumentError
from perfproof.history.index import tables

LOCK = 7_265_731  # of PostgreSQL: one at a time builds the tables
Step = Callable[[Connection], None]


def _to_version_1(connection: Connection) -> None:
    script = Path(__file__).with_name("version_1.sql").read_text(encoding="utf-8")
    for statement in script.split(";")[:-1]:
        connection.execute(text(statement))


STEPS: tuple[Step, ...] = (_to_version_1,)


def bring_up(connection: Connection, steps: Sequence[Step] = STEPS) -> None:
    """Take the steps that this database has not taken. The caller's transaction makes it all or nothing."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    at = version_of(connection)
    if at > len(steps):
        raise DocumentError(
            f"the index was written by a newer perfproof: version {at}, this one knows {len(steps)}; upgrade it, "
            "or give another --store and `perfproof history reindex`"
        )
    if at == len(steps):
        return
    for step in steps[at:]:
        step(connection)
    connection.execute(update(tables.version).values(version=len(steps)))


def version_of(connection: Connection) -> int:
    """0 for a database without tables; its table of one row is made then."""
    if not inspect(connection).has_table(tables.version.name):
        tables.version.create(connection)
        connection.execute(insert(tables.version).values(version=0))
    return int(connection.execute(select(tables.version.c.version)).scalar_one())
