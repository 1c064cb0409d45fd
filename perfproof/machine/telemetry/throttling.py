"""When a GPU was held back, and which samples that touched.

Heat and the hardware's own slow-downs are independent evidence against a sample. The software power cap is not: a
kernel that draws all the power it may is measured as it is, and labelled `power-limited`.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from perfproof.machine.gpus import EVENT_REASONS
from perfproof.machine.preflight import HELD_BACK
from perfproof.machine.telemetry.recording import Series, Telemetry

Interval = tuple[int, int, str]
HELD_BACK_BITS = sum(bit for bit, name in EVENT_REASONS.items() if name in HELD_BACK)
POWER_CAP_BIT = next(bit for bit, name in EVENT_REASONS.items() if name == "software power cap")


def throttled(telemetry: Telemetry, source: str | None = None) -> list[Interval]:
    """Stretches (start_ns, end_ns, reason) in which a GPU, or only `source`, was slowed by heat or by its hardware.

    A reading says nothing of the time up to its neighbours, so a stretch reaches from the reading before to the one
    after.
    """
    found = [
        interval
        for name, series in telemetry.series.items()
        if name.endswith(".event_reasons") and source in (None, name.partition(".")[0])
        for interval in _stretches(series)
    ]
    return sorted(found)


def power_limited(series: Series) -> float | None:
    """The share of readings of event reasons that show the power cap; None without a reading."""
    if not series.values:
        return None
    return sum(bool(int(mask) & POWER_CAP_BIT) for mask in series.values) / len(series.values)


def mark(rows: Iterable[Mapping[str, Any]], intervals: Sequence[Interval]) -> list[dict[str, Any]]:
    """The samples again; those that an interval touches are not valid, and `throttled` names the reason.

    Rows without times, or without an interval in their way, come back as they were.
    """
    merged = _merged(intervals)
    starts = [start for start, _, _ in merged]
    marked = []
    for row in rows:
        start, end = row.get("start_ns"), row.get("end_ns")
        if start is None or end is None:
            marked.append(dict(row))
            continue
        place = bisect_right(starts, end) - 1
        touched = place >= 0 and merged[place][1] >= start
        marked.append({**row, "valid": False, "throttled": merged[place][2]} if touched else dict(row))
    return marked


def _stretches(series: Series) -> list[Interval]:
    found: list[Interval] = []
    times, last = series.times_ns, len(series.times_ns) - 1
    for place, mask in enumerate(series.values):
        bits = int(mask) & HELD_BACK_BITS
        if bits:
            reason = ", ".join(name for bit, name in EVENT_REASONS.items() if bits & bit)
            found.append((times[max(0, place - 1)], times[min(last, place + 1)], reason))
    return _merged(found)


def _merged(intervals: Sequence[Interval]) -> list[Interval]:
    """Sorted, without overlap; the reasons of those that meet are joined."""
    merged: list[Interval] = []
    for start, end, reason in sorted(intervals):
        if merged and start <= merged[-1][1]:
            before = merged[-1]
            reasons = dict.fromkeys([*before[2].split(", "), *reason.split(", ")])
            merged[-1] = (before[0], max(before[1], end), ", ".join(reasons))
        else:
            merged.append((start, end, reason))
    return merged
