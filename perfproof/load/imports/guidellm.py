"""guidellm's benchmarks.json: one entry per rate, with every request and its moments (0.4 and newer).

Its `time_per_output_token_ms` is the whole latency per token, which is our NTPOT; its `inter_token_latency_ms` is our
TPOT. `targeted_start` is the intended arrival if the strategy has a schedule. Only the first and the last token have
times, so there are no stalls.
"""

from typing import Any

from perfproof.load.imports.imported import Foreign, count, failed, first_and_last, number
from perfproof.load.record import Record

TOOL = "guidellm"
SCHEDULED = ("constant", "poisson", "trace", "replay")


def recognises(said: dict[str, Any]) -> bool:
    runs = said.get("benchmarks")
    return isinstance(runs, list) and bool(runs) and all(isinstance(one, dict) and "requests" in one for one in runs)


def names(said: dict[str, Any]) -> list[str]:
    """The benchmarks in the file, for a choice."""
    return [_strategy(one) for one in said["benchmarks"]]


def read(said: dict[str, Any], which: int = 0) -> Foreign:
    run = said["benchmarks"][which]
    groups = run["requests"]
    rows = [(row, group) for group in ("successful", "errored", "incomplete") for row in groups.get(group) or []]
    moments = [row["info"]["timings"] for row, _ in rows]
    strategy = _strategy(run)
    has_schedule = strategy.split()[0] in SCHEDULED
    starts = [_start(one, has_schedule) for one in moments]
    first = min(starts, default=0.0)
    records = [
        _record(index, row, group, start - first, first, has_schedule)
        for index, ((row, group), start) in enumerate(zip(rows, starts, strict=True))
    ]
    notes = (
        [] if has_schedule else [f"the strategy {strategy} has no schedule: latencies begin when a request was sent"]
    )
    end = max((one.end or 0.0 for one in records), default=0.0)
    return Foreign(
        TOOL,
        _model(said, run),
        records,
        end,
        {
            "TTFT": "first_token_iteration, from targeted_start"
            + ("" if has_schedule else " (here: from request_start)"),
            "TPOT": "inter_token_latency_ms: without the first token",
            "NTPOT": "time_per_output_token_ms: with the first token; guidellm calls this TPOT",
            "inter-token time": "not in the file: the mean of each request",
            "latency": "last_token_iteration, from targeted_start",
        },
        notes,
    )


def _strategy(run: dict[str, Any]) -> str:
    places = [place for name in ("config", "scheduler") if isinstance(place := run.get(name), dict)]
    strategy = next((one for place in places if isinstance(one := place.get("strategy"), dict)), {})
    kind = str(strategy.get("type_") or strategy.get("kind") or "unknown")
    rate = strategy.get("rate") or strategy.get("streams")
    return f"{kind} {rate:g}" if isinstance(rate, int | float) else kind


def _model(said: dict[str, Any], run: dict[str, Any]) -> str:
    places = [(run.get("config") or {}).get("backend"), said.get("args"), run.get("benchmarker")]
    for place in places:
        if isinstance(place, dict) and isinstance(place.get("model"), str):
            return str(place["model"])
    return "unknown"


def _start(moments: dict[str, Any], has_schedule: bool) -> float:
    """The intended arrival, or when it was sent; a request that never started has the moment of its queueing."""
    order = ("targeted_start", "request_start") if has_schedule else ("request_start", "targeted_start")
    for name in (*order, "resolve_start", "queued"):
        if moments.get(name) is not None:
            return number(moments[name])
    raise ValueError("a request without any moment")


def _moment(moments: dict[str, Any], end: str) -> Any:
    """The first or the last token; 0.4.0 has no word for the token in the name."""
    return moments.get(f"{end}_token_iteration", moments.get(f"{end}_iteration"))


def _record(index: int, row: dict[str, Any], group: str, intended: float, first: float, has_schedule: bool) -> Record:
    moments = row["info"]["timings"]
    sent = moments.get("request_start") if has_schedule else None  # without a schedule no wait is known
    record = Record(index, intended, intended, sent=None if sent is None else number(sent) - first)
    record.released = record.intended if record.sent is None else record.sent
    record.prompt_tokens = None if row.get("prompt_tokens") is None else count(row["prompt_tokens"])
    record.cached_tokens = None if row.get("cached_tokens") is None else count(row["cached_tokens"])
    end = moments.get("request_end") or moments.get("resolve_end")
    end = intended if end is None else number(end) - first
    output = row.get("output_tokens")
    begin, last = (_moment(moments, end) for end in ("first", "last"))
    if group == "incomplete":
        record.outcome, record.end = "unfinished", end
    elif group == "errored" or not output:
        failed(record, row["info"].get("error"), end)
    elif begin is None or last is None:
        raise ValueError("an answer without first_token_iteration or first_iteration; is this another version?")
    else:
        first_and_last(record, number(begin) - first, number(last) - first, count(output))
        answer = moments.get("first_output_token_iteration")
        record.first_answer = record.first_token if answer is None else number(answer) - first
    return record
