"""The kernel clock: how long the device was busy, on all streams together, and with which kernels.

CUPTI's activity records, through torch's profiler, say when each kernel, copy and fill began and ended. They are taken
in samples of their own: recording perturbs what is recorded. Spin kernels mark where a sample begins and ends. Where
CUPTI is denied, graphs of N and 2N calls are replayed, and (t(2N) - t(N)) / N is the time of a call without launches.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns as _now
from typing import Any

import torch
from torch.autograd.profiler import profile as _profile

from perfproof.worker.measure.reading import Reading

_synchronize, _Event, _sleep = torch.cuda.synchronize, torch.cuda.Event, torch.cuda._sleep
_record, _elapsed = _Event.record, _Event.elapsed_time
_Graph, _capture = torch.cuda.CUDAGraph, torch.cuda.graph

CUPTI, GRAPH = "CUPTI", "graph replay"
MARK, MARK_CYCLES = "spin_kernel", 2_000
# As CUPTI's copies are called; no kernel can be, since a function's name has no spaces.
PAGEABLE = re.compile(r"Memcpy \w+ \((?:Pageable -> \w+|\w+ -> Pageable)\)")
REPLAYS = 3
HOLD_CYCLES = 200_000  # while a replay is launched: tens of microseconds


@dataclass(frozen=True)
class Activity:
    """One kernel, copy or fill on the device."""

    name: str
    start_ns: int
    end_ns: int
    stream: int


@dataclass
class KernelShare:
    """What one kernel contributes to a call."""

    name: str
    count: float  # launches a call
    seconds: float  # a call


def marked_calls(function: Callable, sets: Sequence[tuple]) -> Reading:
    """A sample inside a `Recording`: the calls between two marks. `seconds` is the events' until records are read."""
    output = None
    begin, finish = _Event(enable_timing=True), _Event(enable_timing=True)
    _mark()
    start = _now()
    _record(begin)
    for arguments in sets:
        output = function(*arguments)
    _record(finish)
    _synchronize()
    end = _now()
    _mark()
    return Reading(start, end, _elapsed(begin, finish) * 1e-3, output)


def _mark() -> None:
    """A kernel that nobody else runs, on a device that does nothing else."""
    _synchronize()
    _sleep(MARK_CYCLES)
    _synchronize()


class Recording:
    """Activity records of the device while the block runs; `samples` cuts them at the marks afterwards."""

    def __enter__(self) -> "Recording":
        self._profile = _profile(use_cpu=False, use_device="cuda", use_kineto=True)
        self._profile.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        _synchronize()
        self._profile.__exit__(*exception)

    def samples(self, count: int) -> list[list[Activity]]:
        recorded = self._profile.kineto_results
        return cut_at_marks(_activities(recorded.events() if recorded else []), count)


def cut_at_marks(activities: Iterable[Activity], count: int) -> list[list[Activity]]:
    """The records of each sample: what lies between its two marks. What is between samples is the harness's own."""
    found: list[list[Activity]] = []
    for activity in sorted(activities, key=lambda one: one.start_ns):
        if MARK in activity.name:
            found.append([])
        elif found:
            found[-1].append(activity)
    if len(found) != 2 * count:
        raise ValueError(f"{len(found)} marks were recorded for {count} samples: the kernel clock cannot be read")
    return found[::2]


def busy_seconds(activities: Sequence[Activity]) -> float:
    """The union of all intervals: streams that run side by side count once."""
    busy, until = 0, 0
    for activity in sorted(activities, key=lambda one: one.start_ns):
        start = max(activity.start_ns, until)
        busy += max(0, activity.end_ns - start)
        until = max(until, activity.end_ns)
    return busy * 1e-9


def paced_by_device(activities: Sequence[Activity]) -> list[Activity]:
    """Without copies from and to pageable memory: the host feeds them, and they last as long as it takes to.

    Their records differ from call to call as the host's memory does, and the host waits in them: its clock sees them.
    """
    return [activity for activity in activities if not PAGEABLE.fullmatch(activity.name)]


def shares(activities: Sequence[Activity], calls: int) -> list[KernelShare]:
    """Kernels by name, the longest first."""
    found: dict[str, KernelShare] = {}
    for activity in activities:
        own = found.setdefault(activity.name, KernelShare(activity.name, 0.0, 0.0))
        own.count += 1 / calls
        own.seconds += (activity.end_ns - activity.start_ns) * 1e-9 / calls
    return sorted(found.values(), key=lambda share: -share.seconds)


def graph_calls(function: Callable, sets: Sequence[tuple]) -> Reading:
    """The calls as a graph of all and one of half of them; `seconds` is what the difference says of all.

    Captured anew for every sample, so that it reads this sample's arguments; a body that cannot be captured raises.
    """
    if len(sets) < 2:
        sets = [sets[0]] * 2
    half = len(sets) // 2
    _synchronize()
    start = _now()
    short, _ = _captured(function, sets[:half])
    long, output = _captured(function, sets)
    seconds = [_replay_seconds(long) - _replay_seconds(short) for _ in range(REPLAYS)]
    end = _now()
    return Reading(start, end, median(seconds) * len(sets) / (len(sets) - half), output)


def _captured(function: Callable, sets: Sequence[tuple]) -> tuple[Any, Any]:
    graph, output = _Graph(), None
    with _capture(graph, capture_error_mode="thread_local"):
        for arguments in sets:
            output = function(*arguments)
    graph.replay()  # the first one uploads it
    return graph, output


def _replay_seconds(graph: Any) -> float:
    begin, finish = _Event(enable_timing=True), _Event(enable_timing=True)
    _sleep(HOLD_CYCLES)
    _record(begin)
    graph.replay()
    _record(finish)
    _synchronize()
    return _elapsed(begin, finish) * 1e-3


def _activities(events: Iterable[Any]) -> list[Activity]:
    found = []
    for event in events:
        if event.device_type() != torch.autograd.DeviceType.CUDA or _is_annotation(event):
            continue
        start, end = event.start_ns(), event.start_ns() + event.duration_ns()
        found.append(Activity(event.name(), start, end, event.device_resource_id()))
    return found


def _is_annotation(event: Any) -> bool:
    """A range that somebody named, shown on the device's row: no work of its own."""
    asked = getattr(event, "is_user_annotation", None)
    return bool(asked and asked())
