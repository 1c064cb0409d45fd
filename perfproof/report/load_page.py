"""A load test as one HTML page that needs nothing else: headline, curve, time series, heat map, checks, definitions."""

import math
import shlex
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from perfproof.core.load import LoadResult, Window
from perfproof.core.units import percent, ratio, seconds
from perfproof.load.measures import in_flight_at
from perfproof.load.record import Record
from perfproof.report.figures.load import Line, curve, heat_map
from perfproof.report.formats import html
from perfproof.report.html_headline import day_of
from perfproof.report.html_secrets import without_secrets
from perfproof.report.html_words import table, words
from perfproof.report.load_text import headline_of, quantile_text

OWN_STYLE = "figure.wide { margin: 0 0 1rem; }\n" + "".join(
    f"svg .heat{n} {{ fill: var(--variant); fill-opacity: {n / 6:.2f}; }}\n" for n in range(1, 7)
)
TONES = {"pass": "good", "fail": "bad", "not-run": "unsure"}
SHOWN = ("p50", "p90", "p95", "p99")
MOST_POINTS = 20_000  # of the heat map


def render(result: LoadResult, records: Sequence[Record]) -> str:
    style = _style()
    title = f"Load test of {result.url}, {day_of(result.made)}"
    tone = "bad" if any(one.result == "fail" for one in result.checks) else "good"
    body = f"""<main id="main"><header><p class="brand">perfproof load</p><h1>{words(title)}</h1>
<p class="under">{words(f"{result.model} · {result.workload} · {result.arrivals} · {result.made}")}</p></header>
<section><div class="verdict tone-{tone}"><p class="headline">{words(headline_of(result))}</p></div></section>
{_windows(result)}
{_slo(result)}
{_pictures(result, records)}
{_against(result)}
<section><h2>Checks</h2>{_checks(result)}</section>
<section><h2>Definitions</h2>{table("Definitions", ("name", "meaning"), list(result.definitions.items()))}</section>
<section><h2>Repeat it</h2><pre class="command"><code>{words(_command(result))}</code></pre>
<p class="small">Seed {result.seed}, salt {words(result.salt)}, workload {words(result.workload_sha256[:16])},
perfproof {words(result.perfproof_version)}.
Every request is in requests.jsonl beside this page.</p></section></main>"""
    head = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(html.policy(style, ""))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{words(title)}</title><style>{style}</style></head>"""
    return without_secrets(f"{head}\n<body>{body}</body></html>\n")


@lru_cache
def _style() -> str:
    return (html.TEMPLATES / "report.css").read_text(encoding="utf-8") + OWN_STYLE


def _command(result: LoadResult) -> str:
    return shlex.join(result.command)


def _pictures(result: LoadResult, records: Sequence[Record]) -> str:
    found = [*_curves(result), *_series(records)]
    step = max(1, len(records) // MOST_POINTS)
    points = [(one.intended, one.latency) for one in records[::step] if one.latency is not None]
    found.append(("Latency of every request", heat_map("heat", "Latency of every request over time", points)))
    shown = "".join(
        f'<figure class="wide" tabindex="0"><p class="figure-head">{words(title)}</p>{picture}</figure>'
        for title, picture in found
        if picture
    )
    return f"<section><h2>Pictures</h2>{shown}</section>" if shown else ""


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


def _windows(result: LoadResult) -> str:
    parts = [("Steady window", result.steady), ("Whole run", result.whole)]
    missing = (
        f"<p>No steady window: {words(result.no_steady)}.</p>" if result.steady is None and result.no_steady else ""
    )
    return missing + "".join(f"<section><h2>{name}</h2>{_window(name, one)}</section>" for name, one in parts if one)


def _window(name: str, window: Window) -> str:
    rows = [
        (one.name, str(one.n), seconds(one.mean), *(quantile_text(one.quantiles[key]) for key in SHOWN))
        for one in window.figures
    ]
    outcomes = ", ".join(f"{count} {word}" for word, count in window.outcomes.items()) or "no requests"
    said = (
        f"{window.end - window.start:.1f} s, {outcomes}; {window.completed_per_second:.4g} requests, "
        f"{window.output_tokens_per_second:.4g} output tokens and {window.prompt_tokens_per_second:.4g} prompt tokens "
        f"per second; {window.mean_in_flight:.1f} in flight on average."
    )
    return f"<p>{words(said)}</p>" + table(f"{name}; * marks too few samples", ("", "n", "mean", *SHOWN), rows)


def _slo(result: LoadResult) -> str:
    if result.slo is None:
        return ""
    head = (
        "req/s",
        "verdict",
        "requests",
        "goodput",
        "tokens/s within",
        *(one.text for one in result.slo.terms),
        "note",
    )
    rows = [
        (
            f"{one.rate:.4g}",
            one.verdict,
            str(one.requests),
            f"{one.request_goodput:.4g}",
            f"{one.token_goodput:.4g}",
            *(percent(share, 2) for share in one.shares),
            one.aborted,
        )
        for one in result.slo.steps
    ]
    return f"<section><h2>Rates</h2>{table('Share of requests that met each limit', head, rows)}</section>"


def _against(result: LoadResult) -> str:
    if not result.against:
        return ""
    rows = [
        (one.metric, one.verdict, ratio(one.ratio), f"{ratio(one.low)} to {ratio(one.high)}", str(one.blocks), one.note)
        for one in result.against
    ]
    caption = f"Against {result.against_url}: above 1 the other server is better"
    head = ("", "verdict", "ratio", "interval", "pairs", "")
    return f"<section><h2>Two servers</h2>{table(caption, head, rows)}</section>"


def _checks(result: LoadResult) -> str:
    rows = "".join(
        f'<li><span class="tone-{TONES[one.result]}">{one.result}</span> {words(f"{one.name}: {one.detail}")}</li>'
        for one in result.checks
    )
    notes = "".join(f"<li>{words(note)}</li>" for note in result.notes)
    return f'<ul class="checks">{rows}{notes}</ul>'
