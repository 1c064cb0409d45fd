"""What an import gives, and how its records are made."""

import math
from dataclasses import dataclass, field
from typing import Any

from perfproof.load.record import Record


@dataclass
class Foreign:
    tool: str
    model: str
    records: list[Record]
    seconds: float
    mapping: dict[str, str] = field(default_factory=dict)  # our name: theirs
    notes: list[str] = field(default_factory=list)


def without_starts(seconds: float) -> list[str]:
    """What to say about a file that has no times of sending."""
    return [
        "the file has no times of sending: every request is shown as sent at 0 s, and rates are those of the "
        f"whole run of {seconds:.4g} s",
        "latencies begin when a request was sent, not at its intended arrival",
    ]


def answered(record: Record, times: list[float], output: int) -> None:
    """Fill in an answer: when its events came, and how many tokens they had together."""
    record.times, record.tokens = times, shares(output, len(times))
    record.first_token = record.first_answer = times[0]
    record.last_token = record.end = times[-1]
    record.output_tokens, record.outcome, record.status = output, "ok", 200
    record.tokens_by = "one per event" if output == len(times) else "estimated"


def first_and_last(record: Record, first: float, last: float, output: int) -> None:
    """Fill in an answer of which only the first and the last token have times."""
    answered(record, [first, last][: min(2, output)], output)
    record.tokens = [1, output - 1] if output > 1 else [1]


def failed(record: Record, error: Any, end: float) -> None:
    said = error.get("message") or error.get("type") or error if isinstance(error, dict) else error
    lines = str(said or "").strip().splitlines()
    record.outcome, record.error, record.end = "error", lines[-1][:200] if lines else "no token", end


def shares(tokens: int, events: int) -> list[int]:
    """So many tokens over so many events, as evenly as whole numbers allow."""
    return [tokens * (at + 1) // events - tokens * at // events for at in range(events)]


def number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def span(value: Any) -> float:
    if number(value) < 0:
        raise ValueError(f"{value!r} is no time between two moments")
    return float(value)


def count(value: Any) -> int:
    if number(value) < 0:
        raise ValueError(f"{value!r} is no count")
    return int(value)
