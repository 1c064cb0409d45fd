"""Targets over time: every series, the changes that were found, and one series with its picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from perfproof.core.errors import UsageError
from perfproof.core.natural_order import natural_order
from perfproof.history.index.choosing import GIVEN, Wanted
from perfproof.history.index.keys import QUANTITIES, Key, sizes_in_words
from perfproof.history.index.reading import known_changes
from perfproof.history.index.series import (
    Series,
    every_key,
    points_of,
    quantities_of,
    read_series,
    targets_without_machine,
)
from perfproof.history.index.store import Store
from perfproof.history.index.trends import Trend, analyse
from perfproof.report.figures.spark import spark
from perfproof.report.trend import words as trend_words
from perfproof.report.trend.page import CHANGES, POINTS
from perfproof.web import choosing
from perfproof.web.catalogue import Catalogue, catalogue_of, chapter_of
from perfproof.web.index import names_of, opened
from perfproof.web.pages import page, run_address, settings_of, trend_address

TAB = (40, "History", "/history")
MOST_CHANGES = 20
KEPT = 64  # trends
_listed: dict[str, Any] = {}
_kept: dict[tuple[str, tuple[float, ...]], Trend] = {}


@dataclass(frozen=True)
class Line:
    """A series of the list: its last value, how many points it has, and its last change."""

    key: Key
    address: str
    points: int
    last: str
    day: str
    change: str  # "-12.1 %, 2026-11-02"
    picture: str  # SVG


def show(request: Request) -> Response:
    artifacts = settings_of(request).artifacts
    wishes = choosing.wishes_of(request)
    if not artifacts.is_dir():  # the index would make it
        empty: dict[str, Any] = {"lines": [], "changes": [], "homeless": 0, "choices": choosing.Choices([], [], [], [])}
        return page(request, "history.html", "History", wishes=wishes, paged=choosing.page_of([], 1), **empty)
    known = catalogue_of(artifacts)
    with opened(request) as index:
        keys, homeless = _all_series(request, index)
        every = known_changes(index, 10 * MOST_CHANGES)
        paged = choosing.page_of([key for key in keys if _fits(key, wishes)], wishes.page)
        last_change = {one["key"].name: one for one in every[::-1]}
        lines = [_line(index, known, key, last_change.get(key.name)) for key in paged.items]
    changes = [one | {"by": trend_words.signed(one["shift"])} for one in every[:MOST_CHANGES]]
    return page(
        request,
        "history.html",
        "History",
        wishes=wishes,
        choices=choosing.choices_of(known),
        paged=paged,
        lines=lines,
        changes=changes,
        homeless=homeless,
        address_of=address_of,
        sizes_in_words=sizes_in_words,
    )


def _all_series(request: Request, index: Store) -> tuple[list[Key], int]:
    """Grouping all results takes a moment: kept until the folder has other runs. Others may write to a shared store."""
    names = names_of(request)
    if settings_of(request).store is not None or _listed.get("names") != names:
        keys = sorted(every_key(index, 1), key=lambda key: natural_order(key.target))
        _listed.update(names=names, found=(keys, targets_without_machine(index)))
    return _listed["found"]


def _fits(key: Key, wishes: choosing.Wishes) -> bool:
    chapter = chapter_of(key.target) or choosing.NO_CHAPTER
    words = f"{key.target} {key.variant} {key.kind} {key.sizes}"
    return (
        (not wishes.machine or key.kind == wishes.machine)
        and (not wishes.chapter or chapter == wishes.chapter)
        and (not wishes.q or choosing.holds(words, wishes.q))
    )


def _line(index: Store, known: Catalogue, key: Key, change: dict[str, Any] | None) -> Line:
    """Ratios are in memory; times of other tools are read from the index."""
    own = (key.target, key.variant, key.kind, key.sizes, key.claim, key.clock, key.statistic)
    points: Sequence[Any] = known.series.get(own, []) if key.quantity == "ratio" else []
    values = [one.ratio for one in points]
    if not points:
        points = points_of(index, key)
        values = [one.value for one in points]
    runs = [one.run for one in points]
    at = runs.index(change["run"]) if change and change["run"] in runs else None
    said = f"{change['what']} {trend_words.signed(change['shift'])}, {change['started'][:10]}" if change else ""
    last, day = (trend_words.value(key, values[-1]), points[-1].started[:10]) if values else ("–", "")
    return Line(key, address_of(key), len(values), last, day, said, spark(tuple(values), at) if len(values) > 1 else "")


def trend(request: Request) -> Response:
    query = request.query_params
    of = query.get("of", "ratio")
    if of not in QUANTITIES:
        raise UsageError(f"{of[:40]!r} is unknown: choose {', '.join(QUANTITIES)}")
    given = {name: query[name] for name in (*GIVEN, "fingerprint", "canary") if name in query}
    with opened(request) as index:
        series = read_series(index, Wanted(query.get("target", ""), of, **given))  # type: ignore[arg-type]
        found = _analysed(index, series)
        key = found.series.key
        others = {name: _other(key, name) for name in quantities_of(index, key)}
    view = trend_words.view(found, address=run_address)
    return page(
        request,
        "trend.html",
        view.title,
        view=replace(view, subtitle=f"{view.subtitle}; {found.series.conditions}"),
        of=of,
        others=others,
        changes_head=CHANGES,
        points_head=POINTS,
        moved=found.series.revisions,
        too_few=len(found.series.points) < trend_words.FEWEST,
    )


def _analysed(index: Store, series: Series) -> Trend:
    """Looking for changes in a long series takes a moment: the answer is kept until there is another point."""
    name = series.key.name, tuple(point.value for point in series.points)
    if name not in _kept:
        while len(_kept) >= KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[name] = analyse(index, series)
    kept = _kept[name]
    return replace(kept, series=replace(series, revisions=kept.series.revisions))


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


ROUTES = {"/history": show, "/history/trend": trend}
