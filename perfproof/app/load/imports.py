"""Results of other load generators as documents of ours: shown, kept in a folder, or held beside each other.

No check was made on an import, so it has no headline and its one check is "not-run".
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

from perfproof import __version__
from perfproof.app.load.records import RECORDS, RESULT
from perfproof.core.atomic import write_atomic
from perfproof.core.errors import DocumentError
from perfproof.core.load import Check, LoadResult
from perfproof.history.finding import find_load
from perfproof.history.folders import open_run
from perfproof.load.foreign import is_load_file, read_foreign
from perfproof.load.imports.imported import Foreign
from perfproof.load.measures import window_of
from perfproof.load.record_file import RecordFile


def result_of(path: Path, found: Foreign, machine: str = "") -> LoadResult:
    """`machine` is the name of the server that was measured: files of other tools do not say it."""
    end = max([found.seconds, *(one.end or one.intended for one in found.records)])
    return LoadResult(
        perfproof_version=__version__,
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        tool=found.tool,
        command=["perfproof", *sys.argv[1:]],
        url="",
        model=found.model,
        workload=path.name,
        workload_sha256="",
        arrivals="as the file says",
        mode="imported",
        seed=0,
        salt="",
        seconds=end,
        headline="",
        checks=[Check(name="validity", result="not-run", detail=f"measured by {found.tool}: nothing was checked here")],
        whole=window_of(found.records, 0.0, end + 1e-6),
        no_steady="an import shows the whole run",
        notes=found.notes,
        machine={"name": machine} if machine else {},
        definitions=found.mapping,
    )


def save_import(
    path: Path, number: int | None, artifacts_dir: str = "artifacts", machine: str = ""
) -> tuple[LoadResult, Path]:
    """Keep an import as a run folder: load.json and requests.jsonl."""
    found = read_foreign(path, number)
    result = result_of(path, found, machine)
    folder = open_run(artifacts_dir, "load-import").path
    file = RecordFile(folder / RECORDS, {"tool": found.tool, "model": found.model, "seconds": found.seconds})
    for record in found.records:
        file.add(record)
    file.close()
    write_atomic(folder / RESULT, result.model_dump_json(indent=1) + "\n")
    return result, folder


def is_load_result(text: str) -> bool:
    path = Path(text)
    if path.is_dir() or path.name == RESULT:
        return path.name == RESULT or (path / RESULT).is_file()
    return path.is_file() and path.name != "run.json" and is_load_file(path)


def records_of(name: str, artifacts_dir: str) -> Path:
    """The records of a load test by its name, id or folder; or a file as it is given."""
    path = find_load(artifacts_dir, name, (RECORDS,))
    return path / RECORDS if path.is_dir() else path


def read_result(name: str, artifacts_dir: str) -> LoadResult:
    """A load test by its name, id or folder, its load.json, or a file of another tool."""
    path = find_load(artifacts_dir, name, (RESULT,))
    path = path / RESULT if path.is_dir() else path
    if path.name != RESULT:
        return result_of(path, read_foreign(path))
    try:
        return LoadResult.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DocumentError(f"{path}: no result of a load test: {str(error).splitlines()[0][:100]}") from None
