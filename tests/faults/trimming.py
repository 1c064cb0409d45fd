"""Make a recording fit to be kept: nothing of the machine's owner in it, and small.

Of a trace the host's name, paths and the recording's own name go, of counters the columns that name host and process. A
trace that is too large loses its last steps; never more than would leave MINIMUM_STEPS.
"""

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

LIMIT = 300_000  # bytes, packed
MINIMUM_STEPS = 4
KEPT_KEYS = ("schemaVersion", "deviceProperties", "distributedInfo", "baseTimeNanoseconds", "record_shapes")
KEPT_PROPERTIES = (
    "id",
    "name",
    "totalGlobalMem",
    "computeMajor",
    "computeMinor",
    "numSms",
    "warpSize",
    "maxThreadsPerSM",
)
KEPT_PHASES = ("X", "i")
PATH = re.compile(r"(?<![\w/])(?:/[\w.+@~-]+){2,}")
STEP = re.compile(r"ProfilerStep#\d+")
OWNERS = ("Host Name", "Process Name")


def trimmed(trace: Path) -> bytes:
    """A Kineto trace, packed, below LIMIT."""
    packed = trace.read_bytes()
    content = json.loads(gzip.decompress(packed) if packed.startswith(b"\x1f\x8b") else packed)
    kept = {key: content[key] for key in KEPT_KEYS if key in content}
    devices = kept.get("deviceProperties", [])
    kept["deviceProperties"] = [{key: one[key] for key in KEPT_PROPERTIES if key in one} for one in devices]
    events = [_redacted(event) for event in content["traceEvents"] if event.get("ph") in KEPT_PHASES]
    steps = sorted(event["ts"] for event in events if STEP.fullmatch(event["name"]))
    for end in [*reversed(steps[MINIMUM_STEPS:]), None]:
        result = _packed({**kept, "traceEvents": events})
        if len(result) <= LIMIT or end is None:
            break
        events = [event for event in events if event["ts"] < end]
    if len(result) > LIMIT:
        raise ValueError(f"{trace}: {len(result)} bytes with {MINIMUM_STEPS} steps; make the program smaller")
    return result


def without_owner(counters: Path) -> str:
    """A page of counters with the owner's columns emptied; lines that are no table stay away."""
    text = counters.read_text()
    rows = list(csv.reader(io.StringIO(text[text.index('"ID"') :])))
    secret = [place for place, name in enumerate(rows[0]) if name in OWNERS]
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows[1:]:
        writer.writerow(["redacted" if place in secret and cell else cell for place, cell in enumerate(row)])
    return out.getvalue()


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return PATH.sub(lambda found: Path(found[0]).name, value)
    if isinstance(value, list):
        return [_redacted(one) for one in value]
    if isinstance(value, dict):
        return {key: _redacted(one) for key, one in value.items()}
    return value


def _packed(content: dict[str, Any]) -> bytes:
    return gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0)
