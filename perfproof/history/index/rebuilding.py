"""Build the index from what lies in the artifacts folder: everything again, or only what it does not know yet.

Runs go in by batches, each one transaction. Killed at any moment, what is in the index is whole runs; the next rebuild
ends with the same content, whatever was there before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select

from perfproof.core.errors import DocumentError
from perfproof.history.artifacts import make_artifacts
from perfproof.history.folders import DOCUMENT, list_runs
from perfproof.history.index import FILE, tables
from perfproof.history.index.rows import Entry, read_entry
from perfproof.history.index.store import Store, connect, open_store
from perfproof.history.index.writing import forget, write_entries
from perfproof.history.kept_imports import list_imports, read_import
from perfproof.history.load_tests import RESULT, list_load_tests, read_load_test

BATCH = 2_000  # results in one transaction: other writers get their turn in between


@dataclass
class Rebuilt:
    runs: int = 0
    targets: int = 0
    forgotten: int = 0
    skipped: list[str] = field(default_factory=list)  # why a folder could not be read


def open_index(artifacts_dir: Path | str, place: str | None) -> Store:
    """The index of an artifacts folder, or the one at `place`; with everything that lies in the folder."""
    store = open_store(index_of(artifacts_dir, place))
    catch_up(store, artifacts_dir)
    return store


def index_of(artifacts_dir: Path | str, place: str | None) -> str:
    if place:
        return place
    make_artifacts(artifacts_dir)
    return str(Path(artifacts_dir) / FILE)


def reindex(store: Store, artifacts_dir: Path | str, prune: bool) -> Rebuilt:
    """Every run, load test and import again; with `prune` the index forgets what is not in the folder."""
    done = Rebuilt()
    seen = _write_all(store, _folders(artifacts_dir), done)
    store.write(lambda connection: connection.execute(delete(tables.changes)))
    if prune:
        gone = sorted(_known(store) - seen)
        forget(store, gone)
        done.forgotten = len(gone)
    return done


def catch_up(store: Store, artifacts_dir: Path | str) -> Rebuilt:
    """What the index does not know: runs of a perfproof that was killed, or that were copied here."""
    known = _known(store, tables.runs.c.state != "running")  # a run in progress is read again
    folders = _folders(artifacts_dir)
    done = Rebuilt()
    _write_all(store, [folder for folder in folders if folder.name not in known], done)
    return done


def _folders(artifacts_dir: Path | str) -> list[Path]:
    return [*list_runs(artifacts_dir), *list_load_tests(artifacts_dir), *list_imports(artifacts_dir)]


def index_folder(store: Store, folder: Path) -> None:
    write_entries(store, [_read(folder)])


def without_damage(artifacts_dir: Path | str) -> bool:
    """Remove an index in the artifacts folder that no database can read any more; whether there was one."""
    path = Path(artifacts_dir) / FILE
    if not path.is_file():
        return False
    store = connect(path)
    try:
        damaged = store.read(lambda connection: connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()) != "ok"
    except DocumentError:
        damaged = True
    finally:
        store.close()
    if damaged:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    return damaged


def _write_all(store: Store, folders: Sequence[Path], done: Rebuilt) -> set[str]:
    seen: set[str] = set()
    for batch in _batches(folders, done):
        write_entries(store, batch)
        seen |= {entry.run["run"] for entry in batch}
        done.runs += len(batch)
        done.targets += sum(len({row["place"] for row in entry.results}) for entry in batch)
    return seen


def _batches(folders: Sequence[Path], done: Rebuilt) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    rows = 0
    for folder in folders:
        try:
            entry = _read(folder)
        except DocumentError as error:
            done.skipped.append(str(error))
            continue
        batch.append(entry)
        rows += len(entry.results)
        if rows >= BATCH:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch


def _read(folder: Path) -> Entry:
    """A run is known by its folder's name, whatever its document says: a copied folder is another run."""
    if not (folder / DOCUMENT).is_file():
        return read_load_test(folder) if (folder / RESULT).is_file() else read_import(folder)
    entry = read_entry(folder / DOCUMENT)
    if entry.run["run"] != folder.name:
        for row in (entry.run, *entry.results, *entry.environment):
            row["run"] = folder.name
    return entry


def _known(store: Store, which: Any = True) -> set[str]:
    statement = select(tables.runs.c.run).where(which)
    return set(store.read(lambda connection: connection.execute(statement).scalars().all()))
