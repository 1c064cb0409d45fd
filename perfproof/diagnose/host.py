"""What the host did in the steady steps: waits for input, waits for the device, operators that stand alone."""

from collections import defaultdict
from functools import lru_cache

from perfproof.core.events import Kind
from perfproof.diagnose.traces import Trace
from perfproof.profile.host_names import SYNC_CALL, is_input
from perfproof.profile.idle_causes import Thread, named, thread_of
from perfproof.profile.intervals import Interval, total, union
from perfproof.profile.launches import launch_of_work
from perfproof.profile.steps import is_step


def input_waits(trace: Trace) -> list[int]:
    """Ranges that wait for the next batch. Those of a loader's own threads and processes are not waits."""
    feeding = {place for place, name in enumerate(trace.events.names) if is_input(name)}
    rows = [row for row in trace.rows(Kind.RANGE, Kind.OPERATOR) if trace.events.name_id[row] in feeding]
    main = main_thread(trace)
    return [row for row in rows if main is None or thread_of(trace.events, row) == main]


def sync_calls(trace: Trace) -> list[int]:
    """Those of threads that launch kernels, where the trace tells these: others may wait as long as they like."""
    calls, launching = named(trace.events, SYNC_CALL, trace.rows(Kind.RUNTIME)), launching_threads(trace)
    return [row for row in calls if not launching or thread_of(trace.events, row) in launching]


@lru_cache(maxsize=32)  # several rules ask for the same
def launching_threads(trace: Trace) -> frozenset[Thread]:
    """Those whose calls started the kernels of the steady time."""
    calls = launch_of_work(trace.events, trace.rows(Kind.KERNEL)).values()
    return frozenset(thread_of(trace.events, call) for call in calls)


def main_thread(trace: Trace) -> Thread | None:
    """The thread that marks the steps; else the one whose operators and ranges cover the most time."""
    events = trace.events
    starts = {start for start, _ in trace.steps} if trace.found else set()
    marks = [row for row in trace.rows(Kind.RANGE) if events.start_ns[row] in starts]
    if marks:
        return thread_of(events, max(marks, key=lambda row: events.end_ns[row] - events.start_ns[row]))
    spans: dict[Thread, list[Interval]] = defaultdict(list)
    for row in trace.rows(Kind.RANGE, Kind.OPERATOR):
        spans[thread_of(events, row)].append((events.start_ns[row], events.end_ns[row]))
    return max(spans, key=lambda thread: total(union(spans[thread]))) if spans else None


def outermost_operators(trace: Trace) -> list[int]:
    """Operators of the main thread that are called by no other operator, by their start."""
    main, events = main_thread(trace), trace.events
    found: list[int] = []
    ended = None
    for row in trace.rows(Kind.OPERATOR):
        if thread_of(events, row) != main or events.name(row).startswith("autograd::engine"):
            continue
        if ended is None or events.start_ns[row] >= ended:
            found.append(row)
            ended = events.end_ns[row]
    return found


def covering(trace: Trace, span: Interval) -> str:
    """What the host was doing in a stretch of time: the shortest row that covers half of it or more.

    Of the main thread and those that launch kernels, where these are known.
    """
    best: tuple[int, str] | None = None
    events, main = trace.events, main_thread(trace)
    threads = {*launching_threads(trace), *([main] if main else [])}
    for row in trace.rows(Kind.RANGE, Kind.OPERATOR, Kind.RUNTIME, Kind.PYTHON):
        start, end = events.start_ns[row], events.end_ns[row]
        if start >= span[1]:
            break
        if threads and thread_of(events, row) not in threads:
            continue
        common = min(end, span[1]) - max(start, span[0])
        if 2 * common >= span[1] - span[0] and (best is None or end - start < best[0]):
            best = (end - start, events.name(row))
    return best[1] if best and not is_step(best[1]) else "no operator: Python or another library"
