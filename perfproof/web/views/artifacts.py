"""The files of the runs, as they lie in their folders."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from perfproof.core.errors import NothingMatched
from perfproof.core.units import binary_bytes
from perfproof.history.folders import NAME
from perfproof.web import choosing
from perfproof.web.catalogue import run_names
from perfproof.web.inside import open_inside
from perfproof.web.load_tests import load_names
from perfproof.web.pages import page, run_address, settings_of
from perfproof.web.views.loads import load_address

TAB = (60, "Files", "/artifacts")
TEXTS = {".json", ".jsonl", ".log", ".md", ".csv", ".xml", ".txt"}  # shown as text, never as what they may contain
PAGES = {".html": "text/html; charset=utf-8", ".svg": "image/svg+xml"}
SANDBOX = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"  # no script, whatever it says
)
CHUNK = 256 * 1024
MOST_FILES = 2_000


def show(request: Request) -> Response:
    wishes = choosing.wishes_of(request)
    names = [name for name in run_names(settings_of(request).artifacts) if choosing.holds(name, wishes.q)]
    return page(request, "artifacts.html", "Files", wishes=wishes, paged=choosing.page_of(names, wishes.page))


def listing(request: Request) -> Response:
    name = request.path_params["run"]
    root = settings_of(request).artifacts
    if not NAME.fullmatch(name) or name not in (*run_names(root), *load_names(root)):
        raise NothingMatched(f"there is no run {name[:100]!r}")
    files = list(_files(root / name))
    report = run_address(name) if name in run_names(root) else load_address(name)
    return page(
        request,
        "files.html",
        name,
        name=name,
        report=report,
        files=files[:MOST_FILES],
        left_out=len(files) - MOST_FILES,
    )


def file(request: Request) -> Response:
    """A file of a run. A run's own files lie in a folder with the name of a run; nothing else is handed over."""
    name, path = request.path_params["run"], request.path_params["path"]
    if not path:
        return listing(request)
    if not NAME.fullmatch(name):
        raise NothingMatched("no such file in the artifacts folder")
    opened = open_inside(settings_of(request).artifacts, [name, *path.split("/")])
    ending = Path(path).suffix.lower()
    headers = {"content-length": str(os.fstat(opened.fileno()).st_size), "content-security-policy": SANDBOX}
    kind = "text/plain; charset=utf-8" if ending in TEXTS else PAGES.get(ending, "application/octet-stream")
    if ending not in TEXTS | PAGES.keys():
        headers["content-disposition"] = f"attachment; filename*=UTF-8''{quote(Path(path).name, safe='')}"
    return StreamingResponse(_pieces(opened, int(headers["content-length"])), media_type=kind, headers=headers)


def without_slash(request: Request) -> Response:
    return RedirectResponse(f"/artifacts/{quote(request.path_params['run'], safe='')}/", 303)


def _pieces(opened: BinaryIO, size: int) -> Iterator[bytes]:
    """No more than was announced: a log may grow meanwhile."""
    with opened:
        while size > 0 and (piece := opened.read(min(CHUNK, size))):
            size -= len(piece)
            yield piece


def _files(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Name, address and size of every regular file; links are not followed and not listed."""
    for where, folders, names in os.walk(folder):
        folders.sort()
        for one in sorted(names):
            path = Path(where) / one
            if path.is_symlink() or not path.is_file() or one.startswith("."):
                continue
            relative = path.relative_to(folder).as_posix()
            yield relative, quote(relative), binary_bytes(path.stat().st_size)


ROUTES = {"/artifacts": show, "/artifacts/{run}": without_slash, "/artifacts/{run}/{path:path}": file}
