"""SGLang's `bench_serving --output-file F --output-details`: one line of JSON per run, with lists over requests.

The file has no times of sending. Latencies are right, but nothing is known about when a request was sent: there is no
client wait, and no rate over time. `itls` are times between events; with speculation an event has several tokens.
"""

from typing import Any

from perfproof.load.imports.imported import Foreign, answered, count, failed, number, span, without_starts
from perfproof.load.record import Record

TOOL = "sglang bench_serving"
LISTS = ("ttfts", "itls", "output_lens", "input_lens", "errors")
ASK = "write it with bench_serving --output-details"


def recognises(said: dict[str, Any]) -> bool:
    return (
        "request_throughput" in said and "total_output_tokens" in said and "backend" in said and "accept_length" in said
    )


def read(said: dict[str, Any]) -> Foreign:
    rows = zip(*(said[name] for name in LISTS), strict=True)
    seconds = number(said["duration"])
    records = [_record(index, *row) for index, row in enumerate(rows)]
    return Foreign(
        TOOL,
        str(said.get("model_id") or said.get("model") or said.get("backend")),
        records,
        seconds,
        {
            "TTFT": "ttfts: from sending, which is not the intended arrival",
            "TPOT": "the sum of itls over output_lens - 1",
            "NTPOT": "not in the file; from latency and output_lens",
            "inter-token time": "itls by the tokens of an event, estimated evenly (SGLang divides by accept_length)",
            "latency": "ttfts plus itls: from sending",
        },
        without_starts(seconds),
    )


def _record(index: int, ttft: float, gaps: list[float], output: int, prompt: int, error: str) -> Record:
    record = Record(index, 0.0, 0.0, prompt_tokens=count(prompt))
    if error or not output or not span(ttft):
        failed(record, error, 0.0)
        return record
    times = [number(ttft)]
    for gap in gaps:
        times.append(times[-1] + span(gap))
    answered(record, times, count(output))
    return record
