"""Why a device computed nothing for a while, for the picture of a step: one cause for each gap between kernels.

While a copy or a fill runs the cause is `copy`. The rest is idle time, with the causes that the diagnosis gives
(idle_causes.py), so that the two agree. The picture has one colour for what lies between two launches, `launch`, and
calls a wait for an event or a stream `other`.
"""

from dataclasses import dataclass
from typing import Literal

from perfproof.core.events import Events, Kind
from perfproof.profile import idle_causes
from perfproof.profile.breakdown import work
from perfproof.profile.host_names import is_input
from perfproof.profile.idle_causes import caused_idle, host_times
from perfproof.profile.intervals import Interval, clip, difference, gaps, union

Cause = Literal["copy", "input", "allocation", "sync", "copying", "launch", "host", "other", "unknown"]
DRAWN: dict[idle_causes.Cause, Cause] = {
    "input": "input",
    "compile": "host",
    "allocation": "allocation",
    "sync": "sync",
    "copy call": "copying",
    "launch": "launch",
    "host": "host",
    "between": "launch",
    "waiting": "other",
    "unknown": "unknown",
}


@dataclass(frozen=True)
class CausedGap:
    start_ns: int
    end_ns: int
    cause: Cause


def caused_gaps(events: Events, rank: int, device: int, window: Interval) -> list[CausedGap]:
    """Every gap of the device's kernels within the window, by time; what no work follows is of unknown cause."""
    rows = work(events, rank, device)
    kernels = _covered(events, [row for row in rows if events.kind[row] == Kind.KERNEL])
    moving = _covered(events, [row for row in rows if events.kind[row] != Kind.KERNEL])
    host = host_times(events, rank, _input_rows(events, rank))
    found = [CausedGap(*span, "copy") for span in clip(difference(moving, kernels), window)]
    known = caused_idle(events, rank, device, clip([window], window), host)
    found += [CausedGap(one.start_ns, one.end_ns, DRAWN[one.cause]) for one in known]
    inside = [(one.start_ns, one.end_ns) for one in known]
    found += [CausedGap(*span, "unknown") for span in gaps(union([*kernels, *moving, *inside]), window)]
    return sorted(found, key=lambda one: one.start_ns)


def _input_rows(events: Events, rank: int) -> list[int]:
    feeding = {place for place, name in enumerate(events.names) if is_input(name)}
    rows = events.where(Kind.RANGE, Kind.OPERATOR)
    return [row for row in rows if events.rank[row] == rank and events.name_id[row] in feeding]


def _covered(events: Events, rows: list[int]) -> list[Interval]:
    return union((events.start_ns[row], events.end_ns[row]) for row in rows)
