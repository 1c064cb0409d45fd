"""The index of the history, brought up to date when the folder has other runs than before."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.requests import Request

from perfproof.core.errors import DocumentError
from perfproof.history.index import FILE
from perfproof.history.index.rebuilding import catch_up, index_of
from perfproof.history.index.store import Store, open_store
from perfproof.history.kept_imports import list_imports
from perfproof.web.catalogue import catalogue_of
from perfproof.web.pages import settings_of

_seen: dict[tuple[Path, str], frozenset[str]] = {}  # what the index had when it was last used
_lock = threading.Lock()


@contextmanager
def opened(request: Request) -> Iterator[Store]:
    settings = settings_of(request)
    if settings.store is None and (settings.artifacts / FILE).is_symlink():
        raise DocumentError(f"{FILE} is a link and is not followed; `perfproof history reindex` makes a new one")
    place = index_of(settings.artifacts, settings.store)
    fresh = not settings.store and not Path(place).is_file()
    with open_store(place) as index:
        with _lock:
            _bring_up(index, settings.artifacts, place, fresh)
        yield index


def names_of(request: Request) -> tuple[Path, frozenset[str]]:
    """The runs and imports that the folder had when the index was last brought up to date."""
    artifacts = settings_of(request).artifacts
    place = index_of(artifacts, settings_of(request).store)
    return artifacts, _seen.get((artifacts, place), frozenset())


def _bring_up(index: Store, artifacts: Path, place: str, fresh: bool) -> None:
    """Reading every folder again takes a second for thousands of runs; listing their names takes milliseconds.

    A run in progress counts as another one when it has another result.
    """
    runs = catalogue_of(artifacts).refresh().runs
    known = [f"{run.name} {len(run.results)}" if run.state == "running" else run.name for run in runs]
    names = frozenset([*known, *(folder.name for folder in list_imports(artifacts))])
    if fresh or _seen.get((artifacts, place)) != names:
        catch_up(index, artifacts)
        _seen[artifacts, place] = names
