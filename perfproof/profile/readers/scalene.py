"""Profiles of scalene as JSON: shares of the time per line of source, and the memory over time.

scalene samples: a line has shares of the run's samples (Python, native code, waiting in the system), not times. Shares
times the elapsed time are given as times, and said to be estimates. Memory is counted in MiB by scalene.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.core.events import LARGEST, Events, Total
from perfproof.profile.finite import finite
from perfproof.profile.opening import read_json

SHARES = {"python": "n_cpu_percent_python", "native": "n_cpu_percent_c", "system": "n_sys_percent"}
MEMORY = ("n_peak_mb", "n_malloc_mb")  # of a line, at its highest: new versions, old ones
MIB = 2**20
NO_TIMES = "scalene has shares of samples per line, no events"
ESTIMATED = "times are estimates: each line's share of the samples times the elapsed time"


def recognises(path: Path, head: bytes) -> bool:
    named = b'"n_cpu_percent_python"' in head or (b'"elapsed_time_sec"' in head and b'"files"' in head)
    return head.lstrip().startswith(b"{") and named


def read(path: Path) -> Events:
    content = read_json(path)
    files = content.get("files") if isinstance(content, dict) else None
    if not isinstance(files, dict):
        raise DocumentError(f"{path}: JSON, but no profile of scalene: it has no files; run `scalene --json` again")
    events = Events("scalene")
    elapsed = _number(content.get("elapsed_time_sec"))
    left_out = 0
    for file, line in _lines(files):
        total = _total(file, line, elapsed) if isinstance(line, dict) else None
        left_out += total is None
        if total is not None and any(total.values.values()):
            events.totals.append(total)
    left_out += _footprint(events, content.get("samples"))
    if not events.totals and not events.series:
        raise DocumentError(
            f"{path}: scalene saw no line at work: the program was too short, or all of it was left out"
        )
    if elapsed:
        events.warnings.append(ESTIMATED)
    if left_out:
        events.warnings.append(f"{left_out} lines or samples could not be read and were left out")
    events.unknown["timeline"] = NO_TIMES
    return events


def _lines(files: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for file, found in files.items():
        lines = found.get("lines") if isinstance(found, dict) else None
        yield from ((file, line) for line in (lines if isinstance(lines, list) else [None]))


def _total(file: str, line: dict[str, Any], elapsed: float | None) -> Total | None:
    """One line of source; None if its shares are no shares."""
    shares = {name: _number(line.get(key, 0.0)) for name, key in SHARES.items()}
    if any(share is None for share in shares.values()) or type(line.get("lineno")) is not int:
        return None
    values = {f"{name}_percent": share for name, share in shares.items() if share}
    together = math.fsum(values.values())
    if elapsed:
        values["time_ns"] = together / 100 * elapsed * 1e9
    else:
        values["weight"] = together
    peak = next((found for key in MEMORY if (found := _number(line.get(key)))), 0.0)
    if peak:
        values["peak_bytes"] = peak * MIB
    text = " ".join(str(line.get("line", "")).split())
    return Total((file, f"{text or 'line'} ({file}:{line['lineno']})"), values)


def _footprint(events: Events, samples: Any) -> int:
    """The program's memory over time; how many samples have no time (old versions) or are broken."""
    left_out = 0
    for sample in samples if isinstance(samples, list) else []:
        pair = sample if isinstance(sample, list) and len(sample) == 2 else [None, None]
        time, size = _number(pair[0]), _number(pair[1])
        if time is None or size is None or time >= LARGEST:
            left_out += 1
        else:
            events.read("host.allocated_bytes", round(time), size * MIB, "B")
    return left_out


def _number(value: Any) -> float | None:
    number = finite(value)
    return number if number is not None and number >= 0 else None
