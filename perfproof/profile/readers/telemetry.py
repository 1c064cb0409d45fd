"""Our own telemetry, as the sampler writes it: each column a series, each rate of a counter another."""

import zlib
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, Series
from perfproof.machine.telemetry import recording


def recognises(path: Path, head: bytes) -> bool:
    first = head.partition(b"\n")[0]
    return first.startswith(b"{") and all(key in first for key in (b'"groups"', b'"start_ns"', b'"hz"', b'"clock"'))


def read(path: Path) -> Events:
    try:
        telemetry = recording.read(path)
    except (OverflowError, RecursionError, zlib.error) as error:  # of lines that no sampler writes
        raise DocumentError(f"{path}: not telemetry: {error}") from None
    events = Events("telemetry")
    for name, series in telemetry.series.items():
        if series.values:
            events.series[name] = Series(series.column.unit, series.times_ns, series.values)
    for name, rate in telemetry.gauges(*telemetry.span_ns).items():
        events.series.setdefault(name, Series(rate.column.unit, rate.times_ns, rate.values))
    header = telemetry.header
    events.about = {"clock": header.clock, "started": header.started, "hz": header.hz, "gpus": header.gpus}
    events.unknown = dict(header.unknown)
    return events
