"""Requests of a load test, as a table: ttft, tpot, e2e, output tokens, and whether each succeeded.

CSV, a JSON list or JSON lines. A column says its unit in its name: ttft_s, ttft_ms; without one it is seconds.
"""

import csv
import io
import json
import math
from dataclasses import dataclass
from typing import Any

from perfproof.core.errors import DocumentError

SCALES = {"": 1.0, "_s": 1.0, "_ms": 1e-3}
FALSE = {"", "0", "false", "no"}


@dataclass(frozen=True)
class Request:
    ttft: float | None = None
    tpot: float | None = None
    e2e: float | None = None
    tokens: float | None = None
    ok: bool = True


def parse(text: str, where: str) -> list[Request]:
    rows = _rows(text, where)
    if not rows:
        raise DocumentError(f"{where} holds no requests")
    found = [_request(row, f"{where}, row {number}") for number, row in enumerate(rows, 1)]
    if all(one.ttft is None and one.tpot is None and one.e2e is None for one in found):
        raise DocumentError(f"{where} has no column ttft, tpot or e2e (with _s or _ms)")
    return found


def _rows(text: str, where: str) -> list[Any]:
    start = text.lstrip()[:1]
    try:
        if start == "[":
            return list(json.loads(text))
        if start == "{":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise DocumentError(f"{where} is no JSON: {error}") from None
    return list(csv.DictReader(io.StringIO(text)))


def _request(row: Any, where: str) -> Request:
    if not isinstance(row, dict):
        raise DocumentError(f"{where}: expected an object with ttft, tpot, e2e")
    said = row.get("ok", row.get("success", True))
    return Request(
        ttft=_seconds(row, "ttft", where),
        tpot=_seconds(row, "tpot", where),
        e2e=_seconds(row, "e2e", where),
        tokens=_number(row.get("output_tokens"), where),
        ok=str(said).strip().lower() not in FALSE,
    )


def _seconds(row: dict[str, Any], name: str, where: str) -> float | None:
    for suffix, scale in SCALES.items():
        value = _number(row.get(name + suffix), where)
        if value is not None:
            return value * scale
    return None


def _number(value: Any, where: str) -> float | None:
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise DocumentError(f"{where}: {value!r} is no number") from None
    if not math.isfinite(number) or number < 0:
        raise DocumentError(f"{where}: {value!r} is no time and no count")
    return number
