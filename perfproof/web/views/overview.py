"""The first page: what runs now, what changed since yesterday, and the newest verdict of every target."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from perfproof.core.documents import RatioResult
from perfproof.report.figures.bars import INTERVAL, axis_ticks, interval_mark
from perfproof.report.figures.scale import Scale
from perfproof.report.figures.spark import spark
from perfproof.report.html.page import counts_of
from perfproof.report.html.tones import tone_of
from perfproof.report.rows import ratio_text
from perfproof.web import changed, choosing
from perfproof.web.catalogue import Result, RunEntry, catalogue_of
from perfproof.web.load_tests import load_names
from perfproof.web.pages import page, settings_of, trend_address
from perfproof.web.views.loads import load_lines

TAB = (10, "Overview", "/")
SORTS = {
    "": "by target",
    "newest": "newest first",
    "gain": "largest gain",
    "loss": "largest loss",
    "verdict": "broken first",
}
FEW_RUNS, MOST_CHANGES = 10, 50


def show(request: Request) -> Response:
    found = catalogue_of(settings_of(request).artifacts).refresh()
    wishes = choosing.wishes_of(request)
    chosen = choosing.chosen_results(found, wishes)
    paged = choosing.page_of(chosen, wishes.page)
    axis = _axis(paged.items)
    news = changed.news_of(found, datetime.now(UTC))
    return page(
        request,
        "front.html",
        "Overview",
        path="/",
        wishes=wishes,
        choices=choosing.choices_of(found),
        sorts=SORTS,
        paged=paged,
        lines=[line(one, axis, found.series.get(one.series, [])) for one in paged.items],
        axis=axis_ticks(axis),
        counts=counts_of([one.word for one in chosen]),
        news=news,
        changes=news.changes[:MOST_CHANGES],
        line=lambda one: line(one, axis),
        runs=[run_line(run) for run in found.runs[:FEW_RUNS]],
        total_runs=len(found.runs),
        unread=[run.why for run in found.runs if run.why],
        running=found.running(),
        loads=load_lines(found.artifacts, load_names(found.artifacts)[:FEW_RUNS]),
    )


def line(one: Result, axis: Scale, series: Sequence[Result] = ()) -> dict[str, Any]:
    """A result as the table shows it; its series is drawn as a small line."""
    tone, sign = tone_of(one.word)
    mark = interval_mark(axis, one.ratio, one.low, one.high, tone) if one.ratio and one.ratio > 0 else ""
    return {
        "one": one,
        "label": label_of(one),
        "tone": tone,
        "sign": sign,
        "mark": mark,
        "spark": spark(tuple(past.ratio for past in series if past.ratio)) if len(series) > 1 else "",
        "ratio": shown_ratio(one),
        "trend": trend_of(one) if one.ratio else "",
    }


def label_of(one: Result) -> str:
    variant = f" {one.variant}" if one.variant not in ("", "optimized", "b") else ""
    return f"{one.target}{variant}{' (naive)' if one.tier == 'naive' else ''}"


def shown_ratio(one: Result) -> str:
    if one.ratio is None or one.ratio <= 0:
        return ""
    return ratio_text(RatioResult(verdict="same", ratio=one.ratio, low=one.low, high=one.high))


def trend_of(one: Result) -> str:
    """The page of its series: everything that tells it from others is in the address."""
    more = {name: getattr(one, name) for name in ("variant", "kind", "sizes", "claim", "clock", "statistic")}
    return trend_address(one.target, **more)


def run_line(run: RunEntry) -> dict[str, Any]:
    """A run as the list shows it: its only result by target and ratio, several by their number."""
    only = run.results[0] if len(run.results) == 1 else None
    told = f"{label_of(only)} {shown_ratio(only)}".rstrip() if only else f"{len(run.results)} results"
    return {"run": run, "counts": counts_of([one.word for one in run.results]), "told": told, "is_one": bool(only)}


def _axis(results: list[Result]) -> Scale:
    """One logarithmic axis for all ratios of the page, with 1x on it."""
    ends = [1.0, *(end for one in results for end in (one.low, one.ratio, one.high) if end and end > 0)]
    room = max((max(ends) / min(ends)) ** 0.05, 1.005)
    return Scale(min(ends) / room, max(ends) * room, 3.0, INTERVAL[0] - 3.0, log=True)


ROUTES = {"/": show}
