"""Load tests as a list, and one of them: live while it runs, then what it found, or what it left if it was killed."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from perfproof.app.load.records import PAGE
from perfproof.core.errors import DocumentError, NothingMatched
from perfproof.report.load.page import rate_head, rate_rows
from perfproof.report.load.text import headline_of, window_lines
from perfproof.web import choosing
from perfproof.web.load_progress import progress_of
from perfproof.web.load_tests import LoadTest, find_load_test, has_file, load_names, load_tests, read_result
from perfproof.web.pages import page, settings_of

TAB = (17, "Load tests", "/loads")
MOST_PIECES = 8  # of the records of a killed test, in one answer


def listing(request: Request) -> Response:
    artifacts, wishes = settings_of(request).artifacts, choosing.wishes_of(request)
    paged = choosing.page_of([name for name in load_names(artifacts) if choosing.holds(name, wishes.q)], wishes.page)
    lines = load_lines(artifacts, paged.items)
    return page(request, "loads.html", "Load tests", wishes=wishes, paged=paged, lines=lines)


def show(request: Request) -> Response:
    artifacts, name = settings_of(request).artifacts, request.path_params["name"]
    test = find_load_test(artifacts, name)
    more: dict[str, Any]
    if test.state == "finished":
        more = _finished(artifacts, name)
    else:
        more = {"run": live_section(artifacts, name, MOST_PIECES if test.state == "partial" else 1)}
    return page(request, "load_test.html", name, test=test, **more)


def _finished(artifacts: Path, name: str) -> dict[str, Any]:
    result = read_result(artifacts, name)
    table = window_lines("steady window" if result.steady else "whole run", result.steady or result.whole)
    has_report = has_file(artifacts, name, PAGE)  # an import has none
    return {
        "result": result,
        "headline": headline_of(result),
        "table": "\n".join(table),
        "rate_head": rate_head(result),
        "rate_rows": rate_rows(result),
        "has_report": has_report,
    }


def live_section(artifacts: Path, name: str, pieces: int = 1) -> dict[str, Any]:
    """What the page of a running test shows before its script follows it."""
    progress = progress_of(artifacts, name).refresh()
    while progress.is_behind and (pieces := pieces - 1) > 0:
        progress.refresh()
    events, address = f"/live/{quote(name, safe='')}/events", load_address(name)
    return {"name": name, "events": events, "address": address, "news": progress.news, "what": progress.what}


def load_address(name: str) -> str:
    return f"/loads/{quote(name, safe='')}"


def load_lines(artifacts: Path, names: list[str]) -> list[dict[str, Any]]:
    return [
        {"test": test, "address": load_address(test.name), "found": _found(artifacts, test)}
        for test in load_tests(artifacts, names)
    ]


def _found(artifacts: Path, test: LoadTest) -> str:
    """The headline of a finished test; of others what was measured so far."""
    try:
        if test.state == "finished":
            return headline_of(read_result(artifacts, test.name))
        return progress_of(artifacts, test.name).refresh().counts
    except (DocumentError, NothingMatched) as error:
        return str(error)


ROUTES = {"/loads": listing, "/loads/{name}": show}
