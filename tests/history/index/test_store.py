"""The database: many writers lose nothing, a newer or damaged one is refused in a line, passwords are never shown."""

import json
import subprocess
import sys

import pytest
from sqlalchemy import func, inspect, select

from perfproof.core.errors import DocumentError, UsageError
from perfproof.history.index import migrations, tables
from perfproof.history.index.store import connect, open_store

WRITERS, WRITES = 8, 6
WRITER = """
import json, os, sys
from perfproof.history.index.rows import entry_of
from perfproof.history.index.store import open_store
from perfproof.history.index.writing import write_entries
raw, writers, writes = json.loads(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])

def write(name):
    store = open_store(sys.argv[1])
    for number in range(writes):
        write_entries(store, [entry_of(raw | {"run": f"{name}-{number}"}), entry_of(raw | {"run": "shared"})])

children = []
for name in range(writers):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            write(name)
            code = 0
        finally:
            os._exit(code)
    children.append(child)
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


def count(store, table):
    return store.read(lambda connection: connection.execute(select(func.count()).select_from(table)).scalar_one())


def test_eight_processes_that_write_at_once_lose_nothing(place, runs, tmp_path):
    document = (runs.one(tmp_path / "a", targets=[runs.target("x"), runs.target("y")]) / "run.json").read_text()
    arguments = [place, document, str(WRITERS), str(WRITES)]
    done = subprocess.run([sys.executable, "-c", WRITER, *arguments], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    store = open_store(place)
    assert count(store, tables.runs) == WRITERS * WRITES + 1
    assert count(store, tables.results) == 2 * (WRITERS * WRITES + 1)
    store.close()


def test_the_migrated_tables_are_those_that_the_code_uses(store):
    with store.engine.connect() as connection:
        seen = inspect(connection)
        for table in tables.metadata.sorted_tables:
            assert [column["name"] for column in seen.get_columns(table.name)] == [one.name for one in table.columns]
        assert {one["name"] for one in seen.get_indexes("results")} == {"results_by_series"}
        assert {one["name"] for one in seen.get_indexes("runs")} == {"runs_by_start"}


def test_an_older_index_takes_the_steps_that_it_lacks_and_only_those(store):
    def add_column(connection):
        connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN added TEXT")

    steps = (*migrations.STEPS, add_column)
    for _ in range(2):
        store.write(lambda connection: migrations.bring_up(connection, steps))
    assert store.read(migrations.version_of) == len(steps)
    with store.engine.connect() as connection:
        assert "added" in {column["name"] for column in inspect(connection).get_columns("runs")}


def test_a_step_that_fails_leaves_the_index_as_it_was(store):
    def fail(connection):
        connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN half TEXT")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        store.write(lambda connection: migrations.bring_up(connection, (*migrations.STEPS, fail)))
    with store.engine.connect() as connection:
        assert "half" not in {column["name"] for column in inspect(connection).get_columns("runs")}


def test_an_index_of_a_newer_perfproof_is_refused(store, place):
    store.write(lambda connection: connection.execute(tables.version.update().values(version=99)))
    with pytest.raises(DocumentError, match="newer perfproof: version 99"):
        open_store(place)


def test_a_damaged_file_is_said_with_the_remedy(tmp_path):
    (tmp_path / "history.db").write_bytes(b"not a database at all, but long enough to be taken for one" * 50)
    with pytest.raises(DocumentError, match=r"damaged .* history reindex"):
        open_store(tmp_path / "history.db")


@pytest.mark.parametrize("place", ["mysql://host/name", "postgresql+psycopg2://h/n", "http://x", "://"])
def test_an_address_of_no_use_is_refused(place):
    with pytest.raises(UsageError, match="postgresql://USER@HOST/NAME"):
        connect(place)


def test_a_server_that_is_not_there_is_one_line_without_the_password():
    pytest.importorskip("psycopg")
    with pytest.raises(UsageError) as refusal:
        open_store("postgresql://someone:s3cret@127.0.0.1:1/none")
    assert "s3cret" not in str(refusal.value) and "choose another --store" in str(refusal.value)


def test_a_writer_that_fails_half_way_leaves_nothing(store, runs, tmp_path):
    from perfproof.history.index.rows import entry_of
    from perfproof.history.index.writing import write_entries

    raw = json.loads((runs.one(tmp_path / "a") / "run.json").read_text())
    entry = entry_of(raw)
    entry.results.append(dict(entry.results[0]))  # the same key twice
    with pytest.raises(Exception):  # noqa: B017
        write_entries(store, [entry])
    assert count(store, tables.runs) == 0
