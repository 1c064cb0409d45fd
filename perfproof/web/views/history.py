"""Targets over time: every series, the changes that were found, and one series with its picture."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from perfproof.core.errors import DocumentError, UsageError
from perfproof.history.index import FILE
from perfproof.history.index.choosing import GIVEN, Wanted
from perfproof.history.index.keys import QUANTITIES, Key, sizes_in_words
from perfproof.history.index.reading import known_changes
from perfproof.history.index.rebuilding import open_index
from perfproof.history.index.series import every_key, quantities_of, read_series, targets_without_machine
from perfproof.history.index.store import Store
from perfproof.history.index.trends import analyse
from perfproof.report import trend_words
from perfproof.report.trend_page import CHANGES, POINTS
from perfproof.web.pages import page, settings_of, trend_address

TAB = (40, "History", "/history")
MOST_SERIES, MOST_CHANGES = 1_000, 20


def show(request: Request) -> Response:
    if not settings_of(request).artifacts.is_dir():  # the index would make it
        return page(request, "history.html", "History", keys=[], left_out=0, changes=[], homeless=0)
    with _index(request) as index:
        keys, homeless = every_key(index, 1), targets_without_machine(index)
        changes = [one | {"by": trend_words.signed(one["shift"])} for one in known_changes(index, MOST_CHANGES)]
    return page(
        request,
        "history.html",
        "History",
        keys=keys[:MOST_SERIES],
        left_out=max(0, len(keys) - MOST_SERIES),
        changes=changes,
        homeless=homeless,
        address_of=address_of,
        sizes_in_words=sizes_in_words,
    )


def trend(request: Request) -> Response:
    query = request.query_params
    of = query.get("of", "ratio")
    if of not in QUANTITIES:
        raise UsageError(f"{of[:40]!r} is unknown: choose {', '.join(QUANTITIES)}")
    given = {name: query[name] for name in (*GIVEN, "fingerprint", "canary") if name in query}
    with _index(request) as index:
        found = analyse(index, read_series(index, Wanted(query.get("target", ""), of, **given)))  # type: ignore[arg-type]
        key = found.series.key
        others = {name: _other(key, name) for name in quantities_of(index, key)}
    view = trend_words.view(found)
    return page(
        request,
        "trend.html",
        view.title,
        view=replace(view, subtitle=f"{view.subtitle}; {found.series.conditions}"),
        of=of,
        others=others,
        changes_head=CHANGES,
        points_head=POINTS,
    )


def address_of(key: Key) -> str:
    """Of the page of this series and of no other: all of its key is in it."""
    whole = {name: getattr(key, name) for name in GIVEN}
    whole |= {"fingerprint": key.fingerprint} if key.fingerprint else {}
    whole |= {"canary": key.canary} if key.canary else {}
    return trend_address(key.target, of=key.quantity, **whole)


def _other(key: Key, quantity: Any) -> str:
    """The same series of another quantity: a ratio is over all machines of a kind, and has no canary."""
    if quantity == "ratio":
        return address_of(replace(key, quantity=quantity, fingerprint="", canary=""))
    return address_of(replace(key, quantity=quantity))


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
