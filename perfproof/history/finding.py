"""Find a run by what a person writes: latest, previous, an id, a name, the beginning of either, or a path.

Only names of folders are read here, no documents: completion in the shell asks at every Tab key.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.core.nearest import nearest_names

NAME = re.compile(r"(?P<utc>\d{8}T\d{6}Z)-(?P<slug>[a-z0-9-]+)-(?P<id>[0-9a-f]{6})")
DOCUMENT = "run.json"
CHANGES = "changes.diff"  # beside it: what has changed between two revisions
LATEST, PREVIOUS = "latest", "previous"
MOST_NAMED = 5  # candidates in a message


def find_run(artifacts_dir: Path | str, name: str, documents: Sequence[str] = (DOCUMENT,)) -> Path:
    """The folder of a run: by path (of the folder or its run.json), or by its name as `matching` reads it.

    A folder with any of the `documents` counts: a load test has no run.json.
    """
    given = Path(name)
    if given.name in documents and given.is_file():
        return given.parent
    if any((given / document).is_file() for document in documents):
        return given
    runs = {path.name: path for document in documents for path in list_runs(artifacts_dir, document)}
    runs = dict(sorted(runs.items(), key=lambda one: one[0][:16]))
    if not runs:
        raise NothingMatched(f"no runs in {artifacts_dir}; make one with `perfproof run`")
    return runs[only_one(list(runs), name, str(artifacts_dir))]


def find_profile(artifacts_dir: Path | str, name: str) -> Path:
    """A file or folder as it is given; or else the folder of a profile, by its name as `matching` reads it."""
    parent = Path(artifacts_dir) / "profiles"
    if Path(name).exists() or os.sep in name:
        return Path(name)
    known = sorted(path.name for path in parent.glob("*") if NAME.fullmatch(path.name))
    found = matching(known, name)
    if len(found) == 1:
        return parent / found[0]
    if name in (LATEST, PREVIOUS):
        raise NothingMatched(f"no {name} profile in {parent}; make one with `perfproof profile -- COMMAND`")
    return Path(name)


def find_load(artifacts_dir: Path | str, name: str, documents: Sequence[str]) -> Path:
    """A file or folder as it is given; or else the folder of a load test, by its name as `matching` reads it."""
    if Path(name).exists() or os.sep in name or Path(name).suffix:
        return Path(name)
    tests = sorted({path.name for document in documents for path in list_runs(artifacts_dir, document)})
    if not tests:
        raise NothingMatched(f"no load tests in {artifacts_dir}; make one with `perfproof load SERVER`")
    return Path(artifacts_dir) / only_one(tests, name, str(artifacts_dir))


def list_runs(artifacts_dir: Path | str, document: str = DOCUMENT) -> list[Path]:
    """Folders of ours that hold a document, oldest first. Links are not followed."""
    parent = Path(artifacts_dir)
    if not parent.is_dir():
        return []
    found = [path for path in parent.iterdir() if NAME.fullmatch(path.name) and not path.is_symlink()]
    with_document = [path for path in found if (path / document).is_file()]
    return sorted(with_document, key=lambda path: (path.name[:16], (path / document).stat().st_mtime_ns, path.name))


def matching(runs: list[str], name: str) -> list[str]:
    """Names of runs, oldest first, that `name` means: exactly, or by the beginning of the name or the id."""
    if name in (LATEST, PREVIOUS):
        return runs[-1:] if name == LATEST else runs[-2:-1]
    exact = [run for run in runs if name in (run, run_id(run))]
    begun = [run for run in runs if name and (run.startswith(name) or run_id(run).startswith(name.lower()))]
    return exact or begun


def only_one(runs: list[str], name: str, where: str) -> str:
    """The one run that is meant; several are named in the refusal, newest first."""
    found = matching(runs, name)
    if len(found) == 1:
        return found[0]
    if not found and name == PREVIOUS:
        raise NothingMatched(f"no previous run in {where}: there is only {', '.join(runs)}")
    if not found:
        near = nearest_names(name, [LATEST, PREVIOUS, *runs[::-1], *(run_id(run) for run in runs[::-1])], most=1)
        hint = f"the latest is {runs[-1]}; " if runs else ""
        hint = f"did you mean {near[0]}? {hint}" if near else hint
        raise NothingMatched(f"no run {name!r} in {where}; {hint}`perfproof history` lists them")
    named = ", ".join(found[: -MOST_NAMED - 1 : -1])
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    raise UsageError(f"{len(found)} runs begin with {name!r}: {named}{more}; write more of the name or the id")


def run_id(name: str) -> str:
    return name.rpartition("-")[2]
