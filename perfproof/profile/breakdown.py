"""Where a device's time went: idle, computing, other work; why it was idle; what communication hid behind.

A device's work is its kernels, copies and fills over all streams; intervals that overlap count once. Definitions are
those of Holistic Trace Analysis, so that numbers can be held against each other; where an answer needs a launch that
the trace does not hold, it is "unknown" here.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from perfproof.core.events import DEVICE_WORK, Events, Kind
from perfproof.profile.intervals import Interval, clip, difference, gaps, intersection, span, total, union
from perfproof.profile.launches import launch_of_work

KERNEL_WAIT_NS = 30_000  # a shorter gap is what lies between any two kernels
# NCCL and RCCL, MSCCL, oneCCL; NVSHMEM and what is built on it (DeepEP); all-reduces of serving engines (vLLM, SGLang,
# TensorRT-LLM, FlashInfer, AITER, Quick Reduce), torch's symmetric memory, Transformer Engine's user buffers, Horovod.
COMMUNICATION = re.compile(
    r"nccl|rccl|msccl|oneccl|xccl|nvshmem|rocshmem|ibgda|deep_?ep(?![a-z])|cross_device_reduce|quick_?reduce|multimem_|"
    r"user_?buffers|symm_?mem|horovod|all_?reduce_?(fusion|norm|rms)|custom_?all_?reduce|"
    r"(all_?reduce|reduce_?scatter|all_?gather|all_?to_?all|all2all)\w*kernel(?!s)|(one|two)_?shot_?all_?reduce|"
    r"moe_?a2a|a2a_(dispatch|combine)|internode(_ll)?::|intranode::|lamport.*(reduce|gather)",
    re.I,
)

Cause = Literal["host_wait", "kernel_wait", "other", "unknown"]


@dataclass(frozen=True)
class Temporal:
    """Of the time from the first work of a device to its last. compute + non_compute + idle = span."""

    span_ns: int
    idle_ns: int
    compute_ns: int
    non_compute_ns: int  # busy, but with no kernel that computes: communication, copies, fills

    def share(self, nanoseconds: int) -> float | None:
        return nanoseconds / self.span_ns if self.span_ns else None


@dataclass(frozen=True)
class Gap:
    """A time in which nothing ran; `before` and `after` are the rows on its two sides."""

    start_ns: int
    end_ns: int
    cause: Cause
    before: int
    after: int


@dataclass(frozen=True)
class Overlap:
    communication_ns: int
    hidden_ns: int  # with a kernel that computes at the same time
    exposed_ns: int

    @property
    def ratio(self) -> float | None:
        return self.hidden_ns / self.communication_ns if self.communication_ns else None


def devices(events: Events) -> list[tuple[int, int]]:
    """(rank, device) of all that did work, in order."""
    rows = events.where(*DEVICE_WORK)
    return sorted({(events.rank[row], events.device[row]) for row in rows})


def work(events: Events, rank: int, device: int, stream: int | None = None) -> list[int]:
    """The rows of a device's work (of one stream), by their start."""
    rows = [
        row
        for row in events.where(*DEVICE_WORK)
        if events.rank[row] == rank and events.device[row] == device and stream in (None, events.stream[row])
    ]
    return sorted(rows, key=lambda row: (events.start_ns[row], events.end_ns[row]))


def temporal(events: Events, rank: int, device: int, window: Interval | None = None) -> Temporal:
    """The three parts of a device's time, within `window` or its own span."""
    rows = work(events, rank, device)
    busy, computing = _covered(events, rows), _covered(events, _computing(events, rows))
    window = window or span(busy)
    busy_ns, compute_ns = total(clip(busy, window)), total(clip(computing, window))
    return Temporal(window[1] - window[0], total(gaps(busy, window)), compute_ns, busy_ns - compute_ns)


def idle(events: Events, rank: int, device: int, stream: int | None = None) -> list[Gap]:
    """Every gap of a device (of one stream) with its cause, which the work after it tells.

    host_wait: it was launched after the work before had ended. kernel_wait: launched in time, and the gap is
    shorter than KERNEL_WAIT_NS. other: launched in time, yet late: it waited for an event or for another stream.
    """
    rows = work(events, rank, device, stream)
    launched = launch_of_work(events, rows)
    found: list[Gap] = []
    last = -1
    for row in rows:
        if last >= 0 and events.start_ns[row] > events.end_ns[last]:
            start, end = events.end_ns[last], events.start_ns[row]
            launch = launched.get(row)
            cause = _cause(end - start, start, None if launch is None else events.start_ns[launch])
            found.append(Gap(start, end, cause, last, row))
        if last < 0 or events.end_ns[row] > events.end_ns[last]:
            last = row
    return found


def overlap(events: Events, rank: int, device: int, window: Interval | None = None) -> Overlap:
    """How much of a device's communication ran beside its computation."""
    rows = work(events, rank, device)
    talking, computing = _covered(events, communication_rows(events, rows)), _covered(events, _computing(events, rows))
    if window is not None:
        talking, computing = clip(talking, window), clip(computing, window)
    hidden = total(intersection(talking, computing))
    return Overlap(total(talking), hidden, total(difference(talking, computing)))


@lru_cache(maxsize=10_000)  # a trace has few names, and many rows of each
def is_communication(name: str) -> bool:
    return COMMUNICATION.search(name) is not None


def communication_rows(events: Events, rows: list[int]) -> list[int]:
    """Kernels of communication, by their name or by what torch wrote about them."""
    names = {place for place, name in enumerate(events.names) if is_communication(name)}
    told = {place for place, text in enumerate(events.arguments) if '"Collective name"' in text}
    return [
        row
        for row in rows
        if events.kind[row] == Kind.KERNEL and (events.name_id[row] in names or events.args_id[row] in told)
    ]


def _cause(gap_ns: int, before_ended_ns: int, launched_ns: int | None) -> Cause:
    if launched_ns is not None and launched_ns > before_ended_ns:
        return "host_wait"
    if gap_ns < KERNEL_WAIT_NS:
        return "kernel_wait"
    return "unknown" if launched_ns is None else "other"


def _computing(events: Events, rows: list[int]) -> list[int]:
    talking = set(communication_rows(events, rows))
    return [row for row in rows if events.kind[row] == Kind.KERNEL and row not in talking]


def _covered(events: Events, rows: Iterable[int]) -> list[Interval]:
    return union((events.start_ns[row], events.end_ns[row]) for row in rows)
