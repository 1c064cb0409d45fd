"""vLLM's `vllm bench serve --save-result --save-detailed`: lists with one entry per request.

Its latencies begin when a request is sent. With `queue_times`, in newer versions, they are moved to the intended
arrival; without it, they stay as they are and a note says so. It times events, so the time between tokens is that of
events.
"""

from typing import Any

from perfproof.load.imports.imported import Foreign, answered, count, failed, number, span, without_starts
from perfproof.load.record import Record

TOOL = "vllm bench serve"
LISTS = ("ttfts", "itls", "output_lens", "input_lens", "errors")
ASK = "write it with vllm bench serve --save-detailed"


def recognises(said: dict[str, Any]) -> bool:
    return "request_throughput" in said and "total_output_tokens" in said


def read(said: dict[str, Any]) -> Foreign:
    requests, seconds = len(said["ttfts"]), number(said["duration"])
    starts, waits = said.get("start_times"), said.get("queue_times")
    notes = []
    if not isinstance(starts, list):  # older versions
        starts, waits = [0.0] * requests, [None] * requests
        notes += without_starts(seconds)
    elif not isinstance(waits, list):
        waits = [None] * requests
        notes.append(
            "the file has no queue_times: latencies begin when a request was sent, not at its intended arrival"
        )
    rows = zip(starts, waits, *(said[name] for name in LISTS), strict=True)
    first = min((start - (wait or 0.0) for start, wait in zip(starts, waits, strict=True)), default=0.0)
    records = [_record(index, first, *row) for index, row in enumerate(rows)]
    return Foreign(
        TOOL,
        str(said.get("model_id") or "unknown"),
        records,
        seconds,
        {
            "TTFT": "ttfts, plus queue_times: from the intended arrival",
            "TPOT": "the sum of itls over output_lens - 1, as vLLM's tpot",
            "NTPOT": "not in the file; from latency and output_lens",
            "inter-token time": "itls, which are times between events",
            "latency": "ttfts plus itls, plus queue_times",
        },
        notes,
    )


def _record(
    index: int,
    first: float,
    start: float,
    wait: float | None,
    ttft: float,
    gaps: list[float],
    output: int,
    prompt: int,
    error: str,
) -> Record:
    sent = number(start) - first
    record = Record(index, sent, sent, prompt_tokens=count(prompt))
    if wait is not None:  # that of a cap: vLLM does not say how late the client itself was
        record.intended, record.sent = start - span(wait) - first, sent
    if error or not output or not span(ttft):
        failed(record, error, sent)
        return record
    times = [sent + number(ttft)]
    for gap in gaps:
        times.append(times[-1] + span(gap))
    answered(record, times, count(output))
    return record
