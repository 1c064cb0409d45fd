"""From records to measures: every latency from the intended arrival, over the whole run and over the steady window."""

import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy

from perfproof.core.load import Figure, Window
from perfproof.load.quantiles import figure
from perfproof.load.record import Record

PLATEAU = 0.9  # of the usual number in flight: the test is steady from there on
LEAST_STEADY = 0.4  # of the time between first and last arrival; less is no plateau


def value_of(record: Record, metric: str) -> float | None:
    """One measure of one request; None if the request has none."""
    if metric == "TTFT":
        return record.ttft
    if metric == "TTFA":
        return None if record.first_answer is None else record.first_answer - record.intended
    if metric == "TTFR":
        return None if record.first_byte is None else record.first_byte - record.intended
    if metric == "TPOT":
        return record.tpot
    if metric == "NTPOT":
        return record.ntpot
    if metric == "latency":
        return record.latency
    if metric == "client wait":
        return record.client_wait
    if metric == "stall":
        return max((later - earlier for earlier, later in pairwise(record.times)), default=None)
    raise ValueError(f"no measure {metric!r}")


def window_of(records: Sequence[Record], start: float, end: float) -> Window:
    """What happened between two moments of the test."""
    inside = [one for one in records if start <= one.intended < end]
    good = [one for one in inside if one.outcome == "ok"]
    seconds = max(1e-9, end - start)
    return Window(
        start=start,
        end=end,
        outcomes=dict(sorted(Counter(one.outcome for one in inside).items())),
        arrivals_per_second=len(inside) / seconds,
        completed_per_second=sum(one.outcome == "ok" and start <= (one.end or -1) < end for one in records) / seconds,
        output_tokens_per_second=_tokens_between(records, start, end) / seconds,
        prompt_tokens_per_second=sum(
            one.prompt_tokens or 0 for one in records if one.first_token is not None and start <= one.first_token < end
        )
        / seconds,
        mean_in_flight=_mean_in_flight(records, start, end),
        figures=[one for one in (*_request_figures(good, inside), _token_figure(good)) if one is not None],
    )


def _request_figures(good: Sequence[Record], inside: Sequence[Record]) -> list[Figure | None]:
    reasons = any(one.first_answer != one.first_token for one in good)
    names = ["TTFT", *(["TTFA"] if reasons else []), "TTFR", "TPOT", "NTPOT", "stall", "latency"]
    found = [_figure(name, good) for name in names]
    sent = [one for one in inside if one.sent is not None]
    return [*found, _figure("client wait", sent)]


def _figure(name: str, records: Sequence[Record]) -> Figure | None:
    pairs = [(value, one.intended) for one in records if (value := value_of(one, name)) is not None]
    values = numpy.array([value for value, _ in pairs])
    return figure(name, values, numpy.array([time for _, time in pairs]))


def _token_figure(records: Sequence[Record]) -> Figure | None:
    """Time between groups of tokens by the tokens of each; every token has the same weight."""
    gaps, weights, times = [], [], []
    for one in records:
        for (before, _), (after, tokens) in pairwise(one.groups):
            if tokens:
                gaps.append((after - before) / tokens)
                weights.append(tokens)
                times.append(after)
    return figure("inter-token time", numpy.array(gaps), numpy.array(times), numpy.array(weights, float))


def _tokens_between(records: Sequence[Record], start: float, end: float) -> float:
    total = 0.0
    for one in records:
        if one.times and one.times[-1] >= start and one.times[0] < end:
            if one.times[0] >= start and one.times[-1] < end:
                total += sum(one.tokens)
            else:
                total += sum(tokens for time, tokens in zip(one.times, one.tokens, strict=True) if start <= time < end)
    return total


def busy_times(records: Sequence[Record]) -> list[tuple[float, float]]:
    """From the intended arrival to the end of each request that was let through."""
    return [(one.intended, one.end) for one in records if one.end is not None and one.outcome != "shed"]


def _mean_in_flight(records: Sequence[Record], start: float, end: float) -> float:
    time = sum(max(0.0, min(end, last) - max(start, first)) for first, last in busy_times(records))
    return time / max(1e-9, end - start)


def in_flight_at(records: Sequence[Record], moments: Sequence[float]) -> list[int]:
    busy = busy_times(records)
    starts, ends = sorted(first for first, _ in busy), sorted(last for _, last in busy)
    return [bisect.bisect_right(starts, moment) - bisect.bisect_right(ends, moment) for moment in moments]


def steady_window(records: Sequence[Record], last: float | None = None) -> tuple[float, float] | str:
    """From when 90 % of the usual number are in flight to the last arrival; or why there is no such stretch."""
    arrivals = sorted(one.intended for one in records)
    if len(arrivals) < 20:
        return f"{len(arrivals)} requests are too few to say when the test was steady"
    first, last = arrivals[0], arrivals[-1] if last is None else last
    moments = numpy.linspace(first, last, 400)
    levels = in_flight_at(records, moments.tolist())
    usual = float(min(numpy.median(levels[133:267]), numpy.median(levels[267:])))  # a pause fills one of them at most
    begin = next((time for time, level in zip(moments, levels, strict=True) if level >= PLATEAU * usual), first)
    if (last - begin) < LEAST_STEADY * (last - first):
        return "the number in flight never settled"
    return float(begin), float(last)
