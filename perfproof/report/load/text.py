"""A load test as text: the headline or why there is none, measures, checks, and where the names are explained."""

from collections.abc import Sequence

from perfproof.core.load import Figure, LoadResult, Quantile, Window
from perfproof.core.units import percent, ratio, seconds
from perfproof.report.text import aligned, fitting, wrapped

MARKS = {"pass": "pass", "fail": "FAIL", "not-run": "not run"}
VERDICTS = {"meets": "meets", "misses": "misses", "open": "unclear"}  # open: too few requests to tell
SHOWN = ("p50", "p90", "p99")
WIDTH = 100


def render(result: LoadResult, width: int = WIDTH) -> str:
    lines = [
        headline_of(result),
        "",
        f"  {result.model} at {result.url}, workload {result.workload}, {result.arrivals}",
    ]
    window = result.steady or result.whole
    lines += ["", *window_lines("steady window" if result.steady else "whole run", window, width)]
    if result.steady:
        lines += ["", *_short_lines(result)]
    elif result.no_steady:
        lines += [f"  no steady window: {result.no_steady}"]
    if result.slo is not None:
        lines += ["", *_slo_lines(result)]
    if result.against:
        lines += ["", *_against_lines(result)]
    lines += ["", *(f"  {line}" for line in worth_lines(result))] if worth_lines(result) else []
    lines += ["", "checks", *_check_lines(result)]
    lines += [f"  note     {note}" for note in result.notes]
    lines += ["", "all times run from the intended arrival; what a name means: perfproof explain TTFT"]
    return "\n".join(shown for line in lines for shown in within(line, width)) + "\n"


def worth_lines(result: LoadResult) -> list[str]:
    """What the output tokens cost, in dollars and in energy."""
    cost, energy, found = result.cost, result.energy, []
    if cost is not None:
        found.append(f"${cost.dollars_per_million_output_tokens:.3g} per million output tokens, at {cost.at}")
    if energy is not None:
        watts = energy.joules / energy.seconds
        found.append(
            f"{energy.tokens_per_joule:.3g} output tokens per joule: {watts:.3g} W of this host's GPUs, {energy.at}"
        )
    return found


def _check_lines(result: LoadResult) -> list[str]:
    """What passed is named; what did not has its detail, which the page has of all."""
    passed = ", ".join(one.name for one in result.checks if one.result == "pass")
    others = [one for one in result.checks if one.result != "pass"]
    lines = [f"  {MARKS[one.result]:8} {one.name}: {one.detail}" for one in others]
    return [*([f"  {MARKS['pass']:8} {passed}"] if passed else []), *lines]


def within(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return [line] if len(line) <= width else wrapped(line.lstrip(), width, indent=indent, hanging="    ")


def headline_of(result: LoadResult) -> str:
    stopped = "interrupted; " if result.interrupted else ""
    failed = [one.name for one in result.checks if one.result == "fail"]
    if failed and not result.headline:
        return f"{stopped}no headline: {', '.join(failed)} failed"
    return stopped + (result.headline or "nothing was measured")


def window_lines(name: str, window: Window, width: int = WIDTH) -> list[str]:
    outcomes = ", ".join(f"{count} {word}" for word, count in window.outcomes.items()) or "no requests"
    head = f"{name}: {window.end - window.start:.1f} s, {outcomes}, {window.mean_in_flight:.1f} in flight on average"
    rates = (
        f"  {window.completed_per_second:.4g} req/s, {window.output_tokens_per_second:.4g} output tokens/s, "
        f"{window.prompt_tokens_per_second:.4g} prompt tokens/s"
    )
    return [*within(head, width), *within(rates, width), *table(window.figures, width)]


def table(figures: Sequence[Figure], width: int = WIDTH) -> list[str]:
    """A line per measure: mean, and percentiles with their intervals if there is room; * marks too few samples."""
    titles, right = ("", "n", "mean", *SHOWN), range(1, 3 + len(SHOWN))
    rows = [_cells(one, intervals=True) for one in figures]
    if max(map(len, aligned([titles, *rows], right))) > width - 2:
        rows = [_cells(one, intervals=False) for one in figures]
    shown = fitting(titles, rows, width - 2, name=0, right=right)
    lines = [f"  {line}" for own in shown for line in own]
    if any(one.quantiles[name].few for one in figures for name in SHOWN):
        lines.append("  * fewer than ten samples lie beyond this percentile")
    return lines


def _cells(one: Figure, intervals: bool) -> tuple[str, ...]:
    return one.name, str(one.n), seconds(one.mean), *(quantile_text(one.quantiles[name], intervals) for name in SHOWN)


def quantile_text(one: Quantile, interval: bool = True) -> str:
    known = interval and one.low is not None and one.high is not None
    ends = f" [{seconds(one.low)}, {seconds(one.high)}]" if known else ""
    return f"{seconds(one.value)}{'*' if one.few else ''}{ends}"


def _short_lines(result: LoadResult) -> list[str]:
    """The whole run in two lines: what differs from the steady window is the start and the end."""
    whole = result.whole
    outcomes = ", ".join(f"{count} {word}" for word, count in whole.outcomes.items())
    said = [f"whole run: {whole.end:.1f} s, {outcomes}"]
    parts = [f"{whole.completed_per_second:.4g} req/s", f"{whole.output_tokens_per_second:.4g} output tokens/s"]
    for name in ("TTFT", "TPOT"):
        figure = whole.figure(name)
        if figure is not None:
            parts.append(f"{name} p99 {quantile_text(figure.quantiles['p99'])}")
    return [*said, "  " + ", ".join(parts)]


def _slo_lines(result: LoadResult) -> list[str]:
    assert result.slo is not None
    lines = ["rates", f"  {'req/s':>8} {'verdict':8} {'goodput':>9} {'tokens/s':>9}  share that met each limit"]
    for one in result.slo.steps:
        shares = ", ".join(
            f"{term.text} {percent(share, 2)}" for term, share in zip(result.slo.terms, one.shares, strict=True)
        )
        lines.append(
            f"  {one.rate:8.3g} {VERDICTS[one.verdict]:8} {one.request_goodput:9.3g} {one.token_goodput:9.4g}  {shares}"
        )
        if one.aborted:
            lines.append(f"  {'':8} ended early: {one.aborted}")
    return lines


def _against_lines(result: LoadResult) -> list[str]:
    lines = [f"against {result.against_url}, in interleaved blocks; above 1 the other server is better"]
    for one in result.against:
        ends = f" [{ratio(one.low)}, {ratio(one.high)}]" if one.low and one.high else ""
        values = (
            f"{one.a:.4g} against {one.b:.4g}"
            if "tokens" in one.metric
            else f"{seconds(one.a)} against {seconds(one.b)}"
        )
        note = f"; {one.note}" if one.note else ""
        lines.append(f"  {one.metric:24} {one.verdict:12} {ratio(one.ratio)}{ends}  {values}, {one.blocks} pairs{note}")
    return lines
