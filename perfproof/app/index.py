"""Put a saved run into the index. It is safe in its folder: whatever goes wrong here is one line, never a failure.

Where nobody has asked for the history yet there is no index, and none is made: the first `perfproof history` builds it
from the folders.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from perfproof.core.pyproject import read_settings
from perfproof.history.index import FILE


def store_place(given: str | None = None) -> str | None:
    """Where the index is: as given, $PERFPROOF_STORE, `store` in [tool.perfproof]; None is beside the runs."""
    if given or os.environ.get("PERFPROOF_STORE"):
        return given or os.environ["PERFPROOF_STORE"]
    table = read_settings(Path.cwd())[1]
    own = table.get("history")
    place = (own.get("store") if isinstance(own, dict) else None) or table.get("store")
    return place if isinstance(place, str) else None


def index_run(folder: Path) -> str:
    """Why it is not in the index; empty if it is, or if there is none."""
    try:
        place = store_place()
        if place is None and not (folder.parent / FILE).is_file():
            return ""
        from perfproof.history.index.rebuilding import index_folder, index_of
        from perfproof.history.index.store import open_store

        with open_store(index_of(folder.parent, place)) as store:
            index_folder(store, folder)
    except Exception as error:
        return " ".join(str(error).split()) or type(error).__name__
    return ""


def forget_removed(artifacts_dir: Path | str, runs: Sequence[str]) -> str:
    """Forget runs whose folders were removed, in an index that is a file; a server keeps what was measured.

    Why it could not be done; empty if it was, or if there is no index.
    """
    try:
        place = store_place()
        if place is None and not (Path(artifacts_dir) / FILE).is_file():
            return ""
        from perfproof.history.index.rebuilding import index_of
        from perfproof.history.index.store import open_store
        from perfproof.history.index.writing import forget

        with open_store(index_of(artifacts_dir, place)) as store:
            if store.is_file:
                forget(store, runs)
    except Exception as error:
        return " ".join(str(error).split()) or type(error).__name__
    return ""
