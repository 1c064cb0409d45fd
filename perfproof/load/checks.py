"""What must hold before a number of a load test is worth printing. Each check is pass, fail or not-run, with figures.

A check that cannot be made is not-run and stands beside the result. One that fails takes the headline away.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy

from perfproof.core.documents import Check
from perfproof.core.units import percent, seconds
from perfproof.load.record import NOT_FAILED, Record

CLIENT_LAG = "client lag"
MOST_LAG, LAG_SHARE = 0.005, 0.02  # s, and of the median TTFT
MOST_CACHED = 0.01  # of the prompt tokens, above what is declared
MOST_ERRORS = 0.01
MOST_CPU = 0.8  # of a core: the client's loop runs on one
MOST_DRIFT = 0.10  # of the latency, between the halves of the window
MOST_UNCOUNTED = 0.01
MOST_AT_ONCE = 0.1  # of the answers that are long enough to see it
LONG = 8  # tokens


@dataclass(frozen=True)
class Around:
    """What was seen around the requests."""

    open_loop: bool = True
    asked_rate: float | None = None  # conversations per second
    cpu_share: float | None = None  # of a core, by the client
    clean_rate: float | None = None  # requests per second that this host sends cleanly, by the self-test
    clean_events: float | None = None  # events per second
    cache_counters: tuple[float, float] | None = None  # tokens looked up and found, by the server's counters
    throttled: str | None = None  # reasons; empty if none; None if no GPU could be read
    missed: Sequence[tuple[float, float]] = ()  # from when to when: steps of a search that missed a limit
    steady: tuple[float, float] | None = None
    settled: bool = True  # arrivals whose rate does not change by design
    notes: list[str] = field(default_factory=list)


def check_all(records: Sequence[Record], around: Around) -> list[Check]:
    return [
        client_lag(records, around),
        client_load(records, around),
        arrival_rate(records, around),
        prefix_cache(records, around),
        token_accounting(records),
        streaming(records),
        errors(records, around),
        drift(records, around),
        throttling(around),
    ]


def client_lag(records: Sequence[Record], around: Around) -> Check:
    lags = [lag for one in records if (lag := one.send_lag) is not None]
    ttfts = [one.ttft for one in records if one.outcome == "ok" and one.ttft is not None]
    if not lags or not ttfts:
        return Check(name=CLIENT_LAG, result="not-run", detail="nothing was answered")
    late = float(numpy.quantile(lags, 0.99))
    most = max(MOST_LAG, LAG_SHARE * float(numpy.median(ttfts)))
    detail = (
        f"99 % of the requests were sent within {seconds(max(0.0, late))} of their time; {seconds(most)} is allowed"
    )
    if late > most and around.cpu_share is not None and around.cpu_share < MOST_CPU / 2:
        detail += f"; the client used {percent(around.cpu_share, 0)} of a core, so other programs held the cores"
    return Check(name=CLIENT_LAG, result="pass" if late <= most else "fail", detail=detail)


def client_load(records: Sequence[Record], around: Around) -> Check:
    """The client must not be what is measured."""
    name = "client saturation"
    if around.cpu_share is None:
        return Check(name=name, result="not-run", detail="the client's CPU time is unknown")
    said = f"the client used {percent(around.cpu_share, 0)} of a core"
    if around.cpu_share > MOST_CPU:
        return Check(
            name=name, result="fail", detail=f"{said}; above {percent(MOST_CPU, 0)} it delays what it measures"
        )
    if around.clean_events is None:
        return Check(name=name, result="pass", detail=f"{said}; `perfproof load selftest` finds this host's limit")
    events = _events_per_second(records)
    said += f", {events:.0f} of {around.clean_events:.0f} events per second that it can take cleanly"
    return Check(name=name, result="pass" if events <= around.clean_events else "fail", detail=said)


def _events_per_second(records: Sequence[Record]) -> float:
    """In the busiest second."""
    counts = Counter(math.floor(time) for one in records for time in one.times)
    return float(max(counts.values(), default=0))


def arrival_rate(records: Sequence[Record], around: Around) -> Check:
    name = "arrivals"
    if not around.open_loop or around.asked_rate is None:
        return Check(name=name, result="not-run", detail="only an open loop asks for a rate")
    first_turns = [one.intended for one in records if one.turn == 0]
    if len(first_turns) < 20:
        return Check(name=name, result="not-run", detail=f"{len(first_turns)} requests are too few")
    span = max(first_turns) - min(first_turns)
    found = (len(first_turns) - 1) / span if span else math.inf
    reach = max(0.02, 4 / math.sqrt(len(first_turns)))
    detail = f"{found:.4g} per second arrived, {around.asked_rate:.4g} asked for"
    return Check(name=name, result="pass" if abs(found / around.asked_rate - 1) <= reach else "fail", detail=detail)


def prefix_cache(records: Sequence[Record], around: Around) -> Check:
    """More tokens from the cache than the workload declares as shared: the cache was measured, not the server."""
    name = "prefix cache"
    told = [one for one in records if one.prompt_tokens and one.cached_tokens is not None]
    sent = [one for one in records if one.sent is not None and one.outcome != "shed"]
    prompts = sum(one.prompt_tokens or one.asked_prompt for one in sent)
    declared = sum(one.shared for one in sent) / prompts if prompts else 0.0
    if told:
        found = sum(one.cached_tokens or 0 for one in told) / sum(one.prompt_tokens or 0 for one in told)
        source = "by the responses' usage"
    elif around.cache_counters is not None and around.cache_counters[0] > 0:
        found, source = around.cache_counters[1] / around.cache_counters[0], "by the server's counters"
    else:
        detail = "the server says nothing about cached tokens, in usage or at /metrics"
        return Check(name=name, result="not-run", detail=detail)
    detail = f"{percent(found)} of the prompt tokens came from the cache, {percent(declared)} declared ({source})"
    return Check(name=name, result="pass" if found <= declared + MOST_CACHED else "fail", detail=detail)


def token_accounting(records: Sequence[Record]) -> Check:
    name = "token accounting"
    good = [one for one in records if one.outcome == "ok"]
    if not good:
        return Check(name=name, result="not-run", detail="nothing was answered")
    counted = [one for one in good if one.output_tokens is not None]
    if not counted:
        detail = "the server sends no usage: events are counted in place of tokens"
        return Check(name=name, result="not-run", detail=detail)
    if len(counted) < (1 - MOST_UNCOUNTED) * len(good):
        return Check(name=name, result="fail", detail=f"{len(good) - len(counted)} of {len(good)} answers lack usage")
    usage, events = sum(one.output_tokens or 0 for one in counted), sum(len(one.times) for one in counted)
    empty = [one for one in counted if not one.output_tokens]
    if empty:
        return Check(name=name, result="fail", detail=f"{len(empty)} answers have text and no token by usage")
    estimated = sum(one.tokens_by == "estimated" for one in counted)
    detail = f"{usage} tokens by usage in {events} events with text"
    detail += (
        f"; in {percent(estimated / len(counted), 0)} of the answers shared out by characters" if estimated else ""
    )
    if usage < events:
        return Check(name=name, result="fail", detail=f"{detail}: fewer tokens than events")
    return Check(name=name, result="pass", detail=detail)


def streaming(records: Sequence[Record]) -> Check:
    """Answers that come in one piece have no first token of their own: TTFT is their whole latency."""
    name = "streaming"
    long = [one for one in records if one.outcome == "ok" and one.made >= LONG]
    if not long:
        return Check(name=name, result="not-run", detail=f"no answer had {LONG} tokens or more")
    at_once = sum(one.first_token == one.last_token for one in long)
    detail = f"{at_once} of {len(long)} answers came in one piece"
    if at_once <= MOST_AT_ONCE * len(long):
        return Check(name=name, result="pass", detail=detail)
    detail += ": the server does not stream, or a proxy holds answers back; TTFT is the whole latency, TPOT is unknown"
    return Check(name=name, result="fail", detail=detail)


def errors(records: Sequence[Record], around: Around) -> Check:
    """A step of a search that missed a limit has said so: it may refuse requests, and its end cuts some off."""
    if records and around.missed:
        records = [one for one in records if not any(start <= one.intended < end for start, end in around.missed)]
        if not records:
            return Check(name="errors", result="not-run", detail="every step missed a limit")
    failed = [one for one in records if one.outcome not in NOT_FAILED]
    if not records:
        return Check(name="errors", result="fail", detail="no request was sent")
    kinds = Counter(one.error or one.outcome for one in failed).most_common(3)
    said = "; ".join(f"{count} x {kind[:80]}" for kind, count in kinds)
    detail = f"{len(failed)} of {len(records)} requests failed{f': {said}' if said else ''}"
    resent = sum(one.resent for one in records)
    if resent:  # now and then a server closes an idle connection just as it is used
        detail += f"; {resent} were sent twice, because the server closed a kept connection without an answer"
    good = max(len(failed), resent) <= MOST_ERRORS * len(records)
    return Check(name="errors", result="pass" if good else "fail", detail=detail)


def drift(records: Sequence[Record], around: Around) -> Check:
    """A latency that keeps growing depends on how long the test lasts: the server does not keep up."""
    name = "drift"
    if around.steady is None or not around.settled:
        return Check(name=name, result="not-run", detail="there is no steady window to look at")
    start, end = around.steady
    inside = [one for one in records if one.outcome == "ok" and start <= one.intended < end and one.latency]
    if len(inside) < 40:
        return Check(name=name, result="not-run", detail=f"{len(inside)} answers in the steady window are too few")
    blocks = _block_means(inside, start, end)
    slope, error = _slope(blocks)
    level = float(numpy.mean(blocks))
    change, reach = slope / level, 3 * error / level
    detail = f"the latency changed by {percent(change, 0)} ± {percent(reach, 0)} over the steady window"
    grows = change - reach > MOST_DRIFT
    return Check(name=name, result="fail" if grows else "pass", detail=detail + ("; it keeps growing" if grows else ""))


def _block_means(records: Sequence[Record], start: float, end: float, blocks: int = 10) -> list[float]:
    found: list[list[float]] = [[] for _ in range(blocks)]
    for one in records:
        found[min(blocks - 1, int((one.intended - start) / (end - start) * blocks))].append(one.latency or 0.0)
    return [sum(values) / len(values) for values in found if values]


def _slope(values: Sequence[float]) -> tuple[float, float]:
    """The change over all blocks by a straight line, and its standard error."""
    count = len(values)
    if count < 4:
        return 0.0, math.inf
    x = numpy.linspace(-0.5, 0.5, count)
    y = numpy.asarray(values)
    slope = float((x * y).sum() / (x**2).sum())
    rest = y - y.mean() - slope * x
    return slope, math.sqrt(float((rest**2).sum()) / (count - 2) / float((x**2).sum()))


def throttling(around: Around) -> Check:
    name = "throttled GPU"
    if around.throttled is None:
        return Check(name=name, result="not-run", detail="no GPU can be read on this host")
    if around.throttled:
        return Check(name=name, result="fail", detail=f"a GPU was held back: {around.throttled}")
    return Check(name=name, result="pass", detail="no GPU was held back by heat or by its hardware")
