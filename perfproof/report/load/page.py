"""A load test as one HTML page that needs nothing else: headline, curve, time series, heat map, checks, definitions."""

import math
import shlex
from collections.abc import Sequence

from perfproof.core.load import LoadResult, Window
from perfproof.core.units import percent, ratio, seconds
from perfproof.load.measures import in_flight_at
from perfproof.load.record import Record
from perfproof.report.figures.load import Line, curve, heat_map
from perfproof.report.formats.html import render_page
from perfproof.report.html.headline import day_of
from perfproof.report.load.text import VERDICTS, headline_of, quantile_text, worth_lines

OWN_STYLE = "figure.wide { margin: 0 0 1rem; }\n" + "".join(
    f"svg .heat{n} {{ fill: var(--variant); fill-opacity: {n / 6:.2f}; }}\n" for n in range(1, 7)
)
TONES = {"pass": "good", "fail": "bad", "not-run": "unsure"}
SHOWN = ("p50", "p90", "p95", "p99")
MOST_POINTS = 20_000  # of the heat map


def render(result: LoadResult, records: Sequence[Record]) -> str:
    whole = "Both servers together" if result.against else "Whole run"
    windows = [("Steady window", result.steady), (whole, result.whole)]
    return render_page(
        "load.html",
        OWN_STYLE,
        script=False,
        result=result,
        title=f"{_subject(result)}, {day_of(result.made)}",
        headline=headline_of(result),
        tone="bad" if any(one.result == "fail" for one in result.checks) else "good",
        pictures=_pictures(result, records),
        windows=[(name, _said(one), _figures(one)) for name, one in windows if one],
        window_head=("", "n", "mean", *SHOWN),
        worth=worth_lines(result),
        rate_head=rate_head(result),
        rate_rows=rate_rows(result),
        against_rows=[
            (
                one.metric,
                one.verdict,
                ratio(one.ratio),
                f"{ratio(one.low)} to {ratio(one.high)}",
                *(f"{side:.4g}" if "tokens" in one.metric else seconds(side) for side in (one.a, one.b)),
                str(one.blocks),
                one.note,
            )
            for one in result.against
        ],
        tones=TONES,
        command=shlex.join(result.command),
    )


def _subject(result: LoadResult) -> str:
    return f"{result.url} against {result.against_url}" if result.against else f"Load test of {result.url}"


def _pictures(result: LoadResult, records: Sequence[Record]) -> list[tuple[str, str]]:
    step = max(1, len(records) // MOST_POINTS)
    points = [(one.intended, one.latency) for one in records[::step] if one.latency is not None]
    heat = heat_map("heat", "Latency of every request over time", points)
    found = [*_curves(result), *_series(records), ("Latency of every request", heat)]
    return [(head, picture) for head, picture in found if picture]


def _curves(result: LoadResult) -> list[tuple[str, str]]:
    """Of a search: each judged percentile against the rate, and goodput against the rate."""
    if result.slo is None:
        return []
    found = []
    for number, term in enumerate(result.slo.terms):
        points = [(one.rate, one.figures[term.text]) for one in result.slo.steps if term.text in one.figures]
        title = f"{term.metric} at {percent(term.quantile, 0)} against the rate"
        line = Line(term.metric, points)
        found.append(
            (title, curve(f"slo{number}", title, "requests per second", [line], (term.text, term.limit), True))
        )
    points = [(one.rate, one.request_goodput) for one in result.slo.steps]
    title = "Requests per second within the SLO, against the rate"
    found.append((title, curve("goodput", title, "requests per second", [Line("goodput", points)], None, False)))
    made = [(one.rate, one.output_tokens_per_second) for one in result.slo.steps]
    within = [(one.rate, one.token_goodput) for one in result.slo.steps]
    title = "Output tokens per second, against the rate"
    lines = [Line("all of them", made), Line("within the SLO", within)]
    found.append((title, curve("throughput", title, "requests per second", lines, None, False)))
    return found


def _series(records: Sequence[Record]) -> list[tuple[str, str]]:
    """Rates and numbers in flight per second, or per longer stretch if the test is long."""
    last = max((one.end or one.intended for one in records), default=0.0)
    if last <= 0:
        return []
    width = max(1.0, last / 120)
    bins = math.ceil(last / width)
    arrived, finished, tokens = [0] * bins, [0] * bins, [0] * bins
    for one in records:
        arrived[min(bins - 1, max(0, int(one.intended / width)))] += 1
        if one.outcome == "ok" and one.end is not None:
            finished[min(bins - 1, int(one.end / width))] += 1
        for time, count in zip(one.times, one.tokens, strict=True):
            tokens[min(bins - 1, max(0, int(time / width)))] += count
    middles = [(at + 0.5) * width for at in range(bins)]
    flight = in_flight_at(records, middles)
    rates = [
        Line("arrivals per second", [(t, n / width) for t, n in zip(middles, arrived, strict=True)]),
        Line("answers per second", [(t, n / width) for t, n in zip(middles, finished, strict=True)]),
    ]
    made = [Line("tokens per second", [(t, n / width) for t, n in zip(middles, tokens, strict=True)])]
    waiting = [Line("in flight", list(zip(middles, map(float, flight), strict=True)))]
    across = "seconds after the start"
    return [
        ("Arrivals and answers", curve("rates", "Arrivals and answers over time", across, rates, None, False)),
        ("Output tokens per second", curve("tokens", "Output tokens over time", across, made, None, False)),
        ("Requests in flight", curve("flight", "Requests in flight over time", across, waiting, None, False)),
    ]


def _figures(window: Window) -> list[tuple[str, ...]]:
    return [
        (one.name, str(one.n), seconds(one.mean), *(_unbroken(quantile_text(one.quantiles[key])) for key in SHOWN))
        for one in window.figures
    ]


def _unbroken(text: str) -> str:
    """A line may end before an interval, and not within it."""
    return text.replace(" ", "\N{NO-BREAK SPACE}").replace("\N{NO-BREAK SPACE}[", " [")


def _said(window: Window) -> str:
    outcomes = ", ".join(f"{count} {word}" for word, count in window.outcomes.items()) or "no requests"
    return (
        f"{window.end - window.start:.1f} s, {outcomes}; {window.completed_per_second:.4g} requests, "
        f"{window.output_tokens_per_second:.4g} output tokens and {window.prompt_tokens_per_second:.4g} prompt tokens "
        f"per second; {window.mean_in_flight:.1f} in flight on average."
    )


def rate_head(result: LoadResult) -> tuple[str, ...]:
    """Of the table of a search: a row per tried rate."""
    terms = result.slo.terms if result.slo else ()
    return (
        "req/s",
        "verdict",
        "requests",
        "goodput",
        "tokens/s within",
        *(one.text for one in terms),
        "tokens/J",
        "note",
    )


def rate_rows(result: LoadResult) -> list[tuple[str, ...]]:
    """The tried rates with their outcomes; empty if this is no search."""
    return [
        (
            f"{one.rate:.4g}",
            VERDICTS[one.verdict],
            str(one.requests),
            f"{one.request_goodput:.4g}",
            f"{one.token_goodput:.4g}",
            *(percent(share, 2) for share in one.shares),
            f"{one.energy.tokens_per_joule:.3g}" if one.energy else "–",
            one.aborted,
        )
        for one in (result.slo.steps if result.slo else ())
    ]
