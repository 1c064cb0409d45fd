"""Recorded traffic to replay: when each request came, how long it was, and which parts of its prompt were shared.

Mooncake JSONL   {"timestamp": milliseconds, "input_length": n, "output_length": n, "hash_ids": [blocks of 512 tokens]}
Azure CSV        TIMESTAMP,ContextTokens,GeneratedTokens with a date and time of up to seven decimals
generic CSV      at (seconds) or timestamp_ms, prompt_tokens, output_tokens
requests.jsonl   of an earlier load test: the measured lengths at the intended times
"""

import csv
import json
import math
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from perfproof.core.errors import DocumentError

MOONCAKE_BLOCK = 512  # tokens of a hash id
AZURE = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
GENERIC = ("prompt_tokens", "output_tokens")
LONGEST = 2_000_000  # tokens
MOST_WRONG = 0.01  # of the lines


class Arrival(NamedTuple):
    at: float  # seconds after the first
    prompt: int
    output: int
    blocks: tuple[int, ...] = ()  # ids of the prompt's blocks, in order
    block_tokens: int = 0


def read_trace(path: Path) -> tuple[list[Arrival], list[str]]:
    """The arrivals in the order of time, beginning at 0, and what was left out."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(f"{path}: cannot be read: {error}") from None
    lines = text.splitlines()
    if not any(line.strip() for line in lines):
        raise DocumentError(f"{path}: is empty; a trace has a line per request")
    if lines[0].lstrip().startswith("{"):
        found, wrong = _json_lines(lines, path)
    else:
        found, wrong = _csv(lines, path)
    if not found or len(wrong) > MOST_WRONG * (len(found) + len(wrong)):
        first = f": {wrong[0]}" if wrong else ""
        raise DocumentError(f"{path}: {len(wrong)} of {len(found) + len(wrong)} lines are no request{first}")
    found.sort(key=lambda one: one.at)
    start = found[0].at
    moved = [Arrival(one[0] - start, *one[1:]) for one in found]
    return moved, [f"{len(wrong)} lines are no request and were left out: {wrong[0]}"] if wrong else []


def scaled(arrivals: list[Arrival], factor: float, seconds: float | None = None) -> list[Arrival]:
    """The same requests at `factor` times the rate, up to so many seconds."""
    most = math.inf if seconds is None else seconds * factor
    return [Arrival(one[0] / factor, *one[1:]) for one in arrivals if one[0] < most]


def _json_lines(lines: Iterable[str], path: Path) -> tuple[list[Arrival], list[str]]:
    found, wrong = [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            found += [] if "perfproof" in said else [_from_json(said)]  # the first line of our own files
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            wrong.append(f"line {number}: {' '.join(str(error).split())[:80]}")
    return found, wrong


def _from_json(said: dict[str, Any]) -> Arrival:
    if "intended" in said:  # our own records, in microseconds
        prompt, output = said.get("prompt_tokens") or said["asked_prompt"], said.get("output_tokens")
        return Arrival(_time(said["intended"]) / 1e6, _tokens(prompt), _tokens(output or said["asked_output"]))
    if "input_length" not in said:
        raise ValueError("neither a Mooncake line, with timestamp and input_length, nor a record of perfproof")
    blocks = said.get("hash_ids") or []
    if not isinstance(blocks, list) or not all(isinstance(one, int) for one in blocks):
        raise ValueError("hash_ids is no list of whole numbers")
    output = _tokens(said["output_length"])
    return Arrival(_time(said["timestamp"]) / 1e3, _tokens(said["input_length"]), output, tuple(blocks), MOONCAKE_BLOCK)


def _csv(lines: list[str], path: Path) -> tuple[list[Arrival], list[str]]:
    head = next(csv.reader(lines[:1]))
    columns = [name.strip() for name in head]
    if all(name in columns for name in AZURE):
        read = _azure
    elif all(name in columns for name in GENERIC) and ("at" in columns or "timestamp_ms" in columns):
        read = _generic
    else:
        known = f"{', '.join(AZURE)} (Azure), or at, {', '.join(GENERIC)}"
        raise DocumentError(f"{path}: the first line names {', '.join(columns)}; a trace has {known}")
    found, wrong = [], []
    for number, row in enumerate(csv.reader(lines[1:]), 2):
        if not row:
            continue
        try:
            if len(row) < len(columns):
                raise ValueError(f"{len(row)} columns of {len(columns)}")
            found.append(read(dict(zip(columns, row, strict=False))))
        except ValueError as error:
            wrong.append(f"line {number}: {' '.join(str(error).split())[:80]}")
    return found, wrong


def _azure(row: dict[str, str]) -> Arrival:
    """Its times have up to seven decimals, of which Python reads six, and an offset in newer files."""
    stamp, prompt, output = (row[name] for name in AZURE)
    moment = datetime.fromisoformat(stamp.strip())
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return Arrival((moment - datetime(2000, 1, 1, tzinfo=UTC)).total_seconds(), _tokens(prompt), _tokens(output))


def _generic(row: dict[str, str]) -> Arrival:
    at = _time(row["at"]) if "at" in row else _time(row["timestamp_ms"]) / 1e3
    prompt, output = (_tokens(row[name]) for name in GENERIC)
    return Arrival(at, prompt, output)


def _time(value: Any) -> float:
    time = float(value)
    if not math.isfinite(time):
        raise ValueError(f"{value!r} is no time")
    return time


def _tokens(value: Any) -> int:
    try:
        tokens = int(value)
    except ValueError:
        tokens = -1
    if not 0 <= tokens <= LONGEST:
        raise ValueError(f"{value!r} is no number of tokens")
    return max(1, tokens)
