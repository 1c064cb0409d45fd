"""Collectives as the ranks of a job saw them: who came when, who waited for whom, what was moved.

No data can arrive before the last rank has come. A rank's time in a collective is therefore a *wait* up to that moment
and a *transfer* after it: the one is a matter of balance, the other of the network. Ranks meet by their order: the n-th
collective of a kind in the n-th steady step, which has the same number on all of them. Where hosts differ so do clocks,
and a trace that names no host (nsys) does not say which clock it has; ranks leave an all-reduce together, so the ends
tell by how much.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from statistics import median
from typing import Any

from perfproof.core.events import ABSENT, Kind
from perfproof.diagnose.traces import Trace
from perfproof.profile import breakdown
from perfproof.profile.intervals import Interval, difference, intersection, total, union

# Ranges that torch writes around a backend's work; MPI's own calls and Horovod's, as tracers write them.
ON_HOST = re.compile(
    r"(gloo|mpi|ucc|nccl|xccl|oneccl|hccl):|P?MPI_I?(all|bcast|reduce|gather|scatter|barrier|send|recv|wait)|"
    r"(horovod|hvd)[\W_].*(reduce|gather|broadcast|alltoall)",
    re.IGNORECASE,
)
CALLS = ("c10d::", "gloo:", "mpi:", "ucc:")
ITEM_BYTES = {"float": 4, "int": 4, "double": 8, "long int": 8, "c10::BFloat16": 2, "c10::Half": 2, "bool": 1}
ITEM_BYTES |= {"Float": 4, "Int": 4, "Double": 8, "Long": 8, "BFloat16": 2, "Half": 2, "Byte": 1, "Char": 1, "Bool": 1}


@dataclass(frozen=True)
class Collective:
    """One meeting. `spans` has a (start, end) for each rank, on one clock; `shifts` leads back to each one's own."""

    name: str
    spans: tuple[Interval, ...]
    shifts: tuple[int, ...]
    bytes: int  # of the buffer, ABSENT where the traces do not say

    @property
    def last_start(self) -> int:
        return max(start for start, _ in self.spans)

    @property
    def last_rank(self) -> int:
        """The place of the rank that came last."""
        return max(range(len(self.spans)), key=lambda place: self.spans[place][0])

    @property
    def skew_ns(self) -> float:
        """How much later than the median of the others the last one came."""
        starts = sorted(start for start, _ in self.spans)
        return starts[-1] - median(starts[:-1])

    @property
    def transfer_ns(self) -> int:
        return max(0, max(end for _, end in self.spans) - self.last_start)

    def wait(self, place: int) -> Interval:
        """In which this rank had come and another had not; on its own clock."""
        start, end = self.spans[place]
        return start + self.shifts[place], min(end, self.last_start) + self.shifts[place]

    def transfer(self, place: int) -> Interval:
        """The rest of this rank's time in it, on its own clock."""
        end = self.spans[place][1]
        return min(end, self.last_start) + self.shifts[place], end + self.shifts[place]


@dataclass(frozen=True)
class RankTime:
    """What became of a rank's steady time, as shares of it; no moment is in two of them."""

    computing: float
    waiting: float  # for a later rank, with nothing to compute
    moving: float  # data, with nothing to compute

    @property
    def rest(self) -> float:
        return max(0.0, 1 - self.computing - self.waiting - self.moving)


def communication_rows(trace: Trace) -> list[int]:
    """Kernels of communication; where the device has none, the ranges of the host's backend."""
    events = trace.events
    found = breakdown.communication_rows(events, events.where(Kind.KERNEL))
    return found or [row for row in events.where(Kind.RANGE) if ON_HOST.match(events.name(row))]


def communicating(trace: Trace) -> list[Interval]:
    return trace.covered(communication_rows(trace))


def computing(trace: Trace) -> list[Interval]:
    """Kernels that compute on the devices that communicate; on a host, operators outside the backend's threads."""
    events, talking = trace.events, communication_rows(trace)
    if talking and events.kind[talking[0]] == Kind.RANGE:
        backend = {events.thread[row] for row in talking}
        operators = [row for row in events.where(Kind.OPERATOR) if events.thread[row] not in backend]
        return trace.covered(row for row in operators if not events.name(row).startswith(CALLS))
    devices, apart = {events.device[row] for row in talking}, set(talking)
    kernels = [row for row in events.where(Kind.KERNEL) if row not in apart]
    return trace.covered(row for row in kernels if events.device[row] in devices)


def collectives(traces: Sequence[Trace]) -> list[Collective]:
    """Those of the steady steps that every rank has; none of a single rank."""
    if len(traces) < 2 or len({trace.numbers for trace in traces}) > 1:
        return []
    by_rank = [_by_order(trace) for trace in traces]
    shared = [key for key in by_rank[0] if all(key in rows for rows in by_rank)]
    if not shared:
        return []
    met = [[rows[key] for rows in by_rank] for key in shared]
    shifts = _shifts(traces, met)
    return [_collective(traces, rows, shifts) for rows in met]


def exposed_waits(traces: Sequence[Trace], met: Sequence[Collective]) -> list[list[Interval]]:
    """For each rank, when it waited for a later one with nothing to compute."""
    waits = []
    for place, trace in enumerate(traces):
        spans = [one.wait(place) for one in met if one.last_rank != place]
        waits.append(difference(intersection(union(spans), trace.window), computing(trace)))
    return waits


def moving_in_the_open(trace: Trace, waited: list[Interval]) -> list[Interval]:
    """Communication with no computation beside it, without the waits for later ranks."""
    return difference(difference(communicating(trace), computing(trace)), waited)


def most_exposed(traces: Sequence[Trace], waits: Sequence[list[Interval]]) -> int:
    """The place of the rank that moves data in the open for the largest share: all rules speak of the same one."""
    moving = [
        trace.share(total(moving_in_the_open(trace, waited))) for trace, waited in zip(traces, waits, strict=True)
    ]
    return moving.index(max(moving))


def rank_times(traces: Sequence[Trace], waits: Sequence[list[Interval]]) -> list[RankTime]:
    return [
        RankTime(
            computing=trace.share(total(computing(trace))),
            waiting=trace.share(total(waited)),
            moving=trace.share(total(moving_in_the_open(trace, waited))),
        )
        for trace, waited in zip(traces, waits, strict=True)
    ]


def _by_order(trace: Trace) -> dict[tuple[int, str, str, int], int]:
    """(step, kind of collective, group, how many of the kind before it in the step) -> row."""
    events = trace.events
    found: dict[tuple[int, str, str, int], int] = {}
    counts: dict[tuple[int, str, str], int] = defaultdict(int)
    for row in sorted(communication_rows(trace), key=lambda row: events.start_ns[row]):
        step = next((n for n, (start, end) in enumerate(trace.steps) if start <= events.start_ns[row] < end), None)
        if step is None:
            continue
        args = events.args_of(row)
        kind = (step, str(args.get("Collective name") or events.name(row)), str(args.get("Process Group Name", "")))
        found[*kind, counts[kind]] = row
        counts[kind] += 1
    return found


def _shifts(traces: Sequence[Trace], met: list[list[int]]) -> list[int]:
    """What to take off each rank's times: nothing on one host, else the median difference of ends to the first rank."""
    hosts = {trace.events.about.get("host_name") or place for place, trace in enumerate(traces)}
    if len(hosts) == 1:
        return [0] * len(traces)
    ends = [[traces[place].events.end_ns[row] for place, row in enumerate(rows)] for rows in met]
    return [round(median(one[place] - one[0] for one in ends)) for place in range(len(traces))]


def _collective(traces: Sequence[Trace], rows: list[int], shifts: list[int]) -> Collective:
    tables = [trace.events for trace in traces]
    spans = [
        (events.start_ns[row] - shift, events.end_ns[row] - shift)
        for events, row, shift in zip(tables, rows, shifts, strict=True)
    ]
    args = tables[0].args_of(rows[0])
    name = str(args.get("Collective name") or tables[0].name(rows[0]))
    return Collective(name, tuple(spans), tuple(shifts), buffer_bytes(args))


def buffer_bytes(args: dict[str, Any]) -> int:
    """From what torch writes about a collective: NCCL's counts, or the shapes of a host's range."""
    item = ITEM_BYTES.get(str(args.get("dtype")))
    count = args.get("In msg nelems")
    if item and isinstance(count, int) and count >= 0:
        return item * count
    shapes, types = args.get("Input Dims"), args.get("Input type")
    if not isinstance(shapes, list) or not isinstance(types, list) or len(shapes) != len(types) or not shapes:
        return ABSENT
    sizes = [_tensor_bytes(shape, name) for shape, name in zip(shapes, types, strict=True)]
    return ABSENT if ABSENT in sizes else sum(sizes)


def _tensor_bytes(shape: Any, name: Any) -> int:
    item = ITEM_BYTES.get(str(name))
    plain = isinstance(shape, list) and all(type(one) is int and one >= 0 for one in shape)
    return item * prod(shape) if item and plain and shape else ABSENT
