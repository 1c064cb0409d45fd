"""aiperf's profile_export.jsonl: a line per request with `metadata` and `metrics`, each metric with its unit.

`credit_issued_ns`, in newer versions, is when the request was due; latencies are moved there. Requests of the warm-up
phase are left out. With `inter_chunk_latency` every event has its time; without it only the first and the last do.
"""

from typing import Any

from perfproof.load.imports.imported import Foreign, answered, count, failed, first_and_last, number, span
from perfproof.load.record import Record

TOOL = "aiperf"
UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0}
TTFT = ("time_to_first_token", "ttft")
OUTPUT = ("output_sequence_length", "osl", "output_token_count")


def recognises(said: dict[str, Any]) -> bool:
    return isinstance(said.get("metadata"), dict) and isinstance(said.get("metrics"), dict)


def read(lines: list[dict[str, Any]]) -> Foreign:
    rows = [one for one in lines if one["metadata"].get("benchmark_phase", "profiling") == "profiling"]
    has_due = bool(rows) and all(one["metadata"].get("credit_issued_ns") is not None for one in rows)
    due = "credit_issued_ns" if has_due else "request_start_ns"
    first = min(
        (count(one["metadata"][due]) for one in rows), default=0
    )  # whole nanoseconds: a float has not the digits
    records = [_record(index, row, first, due) for index, row in enumerate(rows)]
    notes = [] if has_due else ["the file has no credit_issued_ns: latencies begin when a request was sent"]
    if len(rows) < len(lines):
        notes.append(f"{len(lines) - len(rows)} requests of the warm-up are left out")
    return Foreign(
        TOOL,
        "unknown",
        records,
        max((one.end or 0.0 for one in records), default=0.0),
        {
            "TTFT": f"time_to_first_token, from {due}",
            "TPOT": "inter_token_latency: without the first token",
            "NTPOT": "not in the file; from latency and output_sequence_length",
            "inter-token time": "inter_chunk_latency by the tokens of an event, estimated evenly; else the mean",
            "latency": f"request_latency, from {due}",
        },
        notes,
    )


def _record(index: int, row: dict[str, Any], first: int, due: str) -> Record:
    about, metrics = row["metadata"], row["metrics"]
    sent = (count(about["request_start_ns"]) - first) / 1e9
    intended = (count(about[due]) - first) / 1e9
    known = sent if due != "request_start_ns" else None  # without a schedule no wait is known
    record = Record(index, intended, sent, sent=known, turn=count(about.get("turn_index") or 0))
    prompt = _value(metrics, ("input_sequence_length", "isl"))
    record.prompt_tokens = None if prompt is None else count(prompt)
    end = (count(about["request_end_ns"]) - first) / 1e9
    output, ttft, latency = _value(metrics, OUTPUT), _seconds(metrics, TTFT), _seconds(metrics, ("request_latency",))
    if about.get("was_cancelled"):
        record.outcome, record.end = "cancelled", end
    elif row.get("error") or not output or ttft is None or latency is None:
        failed(record, row.get("error"), end)
    else:
        gaps = metrics.get("inter_chunk_latency")
        if isinstance(gaps, dict) and isinstance(gaps.get("value"), list):
            times = [sent + ttft]
            for gap in gaps["value"]:
                times.append(times[-1] + span(gap) * UNITS[gaps["unit"]])
            answered(record, times, count(output))
        else:
            first_and_last(record, sent + ttft, sent + latency, count(output))
    return record


def _value(metrics: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((metrics[key]["value"] for key in keys if key in metrics), None)


def _seconds(metrics: dict[str, Any], keys: tuple[str, ...]) -> float | None:
    found = next((metrics[key] for key in keys if key in metrics), None)
    return None if found is None else number(found["value"]) * UNITS[found["unit"]]
