"""Targets over time: every series, the changes that were found, and one series with its picture."""

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request
from starlette.responses import Response

from perfproof.core.errors import DocumentError, UsageError
from perfproof.history.index import FILE
from perfproof.history.index.reading import known_changes
from perfproof.history.index.rebuilding import open_index
from perfproof.history.index.series import QUANTITIES, Wanted, every_key, read_series
from perfproof.history.index.store import Store
from perfproof.history.index.trends import analyse
from perfproof.report import trend_words
from perfproof.report.trend_page import CHANGES, POINTS
from perfproof.web.pages import page, settings_of

TAB = (40, "History", "/history")
MOST_SERIES, MOST_CHANGES = 1_000, 20


def show(request: Request) -> Response:
    if not settings_of(request).artifacts.is_dir():  # the index would make it
        return page(request, "history.html", "History", keys=[], left_out=0, changes=[])
    with _index(request) as index:
        keys = every_key(index, 1)
        changes = [one | {"by": trend_words.signed(one["shift"])} for one in known_changes(index, MOST_CHANGES)]
    more = max(0, len(keys) - MOST_SERIES)
    return page(request, "history.html", "History", keys=keys[:MOST_SERIES], left_out=more, changes=changes)


def trend(request: Request) -> Response:
    query = request.query_params
    of = query.get("of", "ratio")
    if of not in QUANTITIES:
        raise UsageError(f"{of[:40]!r} is unknown: choose {', '.join(QUANTITIES)}")
    given = {name: query.get(name) or None for name in ("variant", "kind", "canary")}
    with _index(request) as index:
        found = analyse(index, read_series(index, Wanted(query.get("target", ""), of, **given)))  # type: ignore[arg-type]
    view = trend_words.view(found)
    return page(
        request,
        "trend.html",
        view.title,
        view=view,
        asked=query,
        quantities=QUANTITIES,
        changes_head=CHANGES,
        points_head=POINTS,
    )


@contextmanager
def _index(request: Request) -> Iterator[Store]:
    """The index, brought up to date with the folders."""
    settings = settings_of(request)
    if settings.store is None and (settings.artifacts / FILE).is_symlink():
        raise DocumentError(f"{FILE} is a link and is not followed; `perfproof history reindex` makes a new one")
    index = open_index(settings.artifacts, settings.store)
    try:
        yield index
    finally:
        index.close()


ROUTES = {"/history": show, "/history/trend": trend}
