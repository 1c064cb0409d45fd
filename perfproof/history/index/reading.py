"""Lists from the index: the newest runs, the results of one, the changes found, and a person's own question."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DatabaseError

from perfproof.core.errors import UsageError
from perfproof.history.index.keys import Key
from perfproof.history.index.store import Store
from perfproof.history.index.tables import changes, results, runs

READS = re.compile(r"(select|with|values|explain)\b", re.IGNORECASE)
Row = dict[str, Any]


def newest_runs(store: Store, limit: int, target: str | None = None) -> list[Row]:
    """Newest first, with how many results each has; with `target` only runs of it."""
    count = select(func.count()).where(results.c.run == runs.c.run).scalar_subquery().label("results")
    statement = select(runs, count).order_by(runs.c.started.desc(), runs.c.run.desc()).limit(limit)
    if target is not None:
        statement = statement.where(runs.c.run.in_(select(results.c.run).where(results.c.target == target)))
    return _rows(store, statement)


def results_of(store: Store, run: str) -> list[Row]:
    return _rows(store, select(results).where(results.c.run == run).order_by(results.c.place, results.c.variant))


def results_of_runs(store: Store, names: Sequence[str]) -> dict[str, list[Row]]:
    """The results of several runs, by run."""
    found: dict[str, list[Row]] = {name: [] for name in names}
    statement = select(results).where(results.c.run.in_(names)).order_by(results.c.place, results.c.variant)
    for row in _rows(store, statement):
        found[row["run"]].append(row)
    return found


def run_names(store: Store) -> list[str]:
    """Oldest first."""
    return [row["run"] for row in _rows(store, select(runs.c.run).order_by(runs.c.started, runs.c.run))]


def known_changes(store: Store, limit: int) -> list[Row]:
    """Newest first, each with the `key` of its series; none of times whose machine is unknown."""
    rows = _rows(store, select(changes).order_by(changes.c.started.desc(), changes.c.series).limit(limit))
    return [row | {"key": key} for row in rows if (key := _key_of(row)).has_machine]


def ask(store: Store, question: str, limit: int) -> tuple[list[str], list[tuple[Any, ...]]]:
    """One SELECT of a person's own: names of the columns, and rows. The database itself refuses to write."""
    statement = question.strip().rstrip(";").rstrip()
    if not READS.match(statement) or ";" in statement:
        raise UsageError("a query is one statement that reads: SELECT ..., WITH ... SELECT; nothing else is run")

    def work(connection: Connection) -> tuple[list[str], list[tuple[Any, ...]]]:
        only_read = "PRAGMA query_only=ON" if store.is_file else "SET TRANSACTION READ ONLY"
        connection.execute(text(only_read))
        try:
            answer = connection.exec_driver_sql(statement.replace("%", "%%") if not store.is_file else statement)
            return list(answer.keys()), [tuple(row) for row in answer.fetchmany(limit)]
        except DatabaseError as error:
            raise UsageError(f"the query cannot be answered: {' '.join(str(error.orig).split())}") from None
        finally:
            if store.is_file:
                connection.execute(text("PRAGMA query_only=OFF"))

    return store.read(work)


def _key_of(change: Row) -> Key:
    """From the name of the series; its target, variant and canary may hold a line break, the rest does not."""
    quantity, _, canary = change["quantity"].partition(" over ")
    rest = change["series"].removeprefix(f"{change['target']}\n{change['variant']}\n")
    kind, sizes, claim, clock, _, fingerprint, end = rest.split("\n", 6)
    return Key(
        *(change["target"], change["variant"], kind, sizes, claim, clock, quantity, fingerprint, canary),
        statistic=end.removeprefix(canary).removeprefix("\n") or "median",
    )


def _rows(store: Store, statement: Any) -> list[Row]:
    found = store.read(lambda connection: connection.execute(statement).mappings().all())
    return [dict(row) for row in found]
