"""What the host did in the steady steps: waits for input, waits for the device, operators that stand alone."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import median

from perfproof.core.events import Events, Kind
from perfproof.diagnose.collectives import communication_rows
from perfproof.diagnose.traces import Trace
from perfproof.profile.host_names import SYNC_CALL, is_input
from perfproof.profile.idle_causes import Thread, named, thread_of
from perfproof.profile.intervals import Interval, gaps, total, union
from perfproof.profile.launches import launch_of_work
from perfproof.profile.repeats import outermost
from perfproof.profile.steps import is_step

PAUSE_NS = 50_000  # a shorter one lies between any two operators
INTERRUPTED = 0.5  # of the step
LOOK_AHEAD = 4  # operators after a gap
AFTER_NS = 1_000_000_000
MAKES = frozenset({"aten::lift_fresh", "aten::frombuffer", "aten::from_file", "aten::pin_memory", "aten::stack"})
MAKES_FIRST = frozenset({"aten::to", "aten::_to_copy", "aten::cat", "aten::pad_sequence", "aten::from_numpy"})
UNNAMED = "no operator: Python or another library"


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


Place = tuple[
    str, str, int
]  # the operators before and after; how many came before in the step, if all have equally many


@dataclass(frozen=True)
class PythonGap:
    """A time in which the main thread ran no operator; `feeds`: the next operators make a tensor of Python's data."""

    start_ns: int
    end_ns: int
    feeds: bool
    place: Place = ("", "", 0)

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


@lru_cache(maxsize=32)  # two rules ask for the same
def python_gaps(trace: Trace) -> tuple[PythonGap, ...]:
    """Without a device: times of the main thread outside of operators, waits that have a name, and collectives."""
    events, main = trace.events, main_thread(trace)
    rows = [row for row in outermost_rows(events, main) if _near(trace, row)]
    named = [row for row in trace.rows(Kind.RANGE, Kind.RUNTIME) if _is_named(trace, row)]
    busy = union((events.start_ns[row], events.end_ns[row]) for row in [*rows, *named, *communication_rows(trace)])
    starts = [events.start_ns[row] for row in rows]
    begins = [bisect_left(starts, start) for start, _ in trace.steps]
    counts = Counter(bisect_left(starts, end) - begin for (_, end), begin in zip(trace.steps, begins, strict=True))
    alike = max(counts.values(), default=0) > len(begins) / 2
    found = []
    for span in trace.window:
        for start, end in gaps(busy, span):
            if end - start < PAUSE_NS:
                continue
            place = bisect_left(starts, end)
            following = [events.name(row) for row in rows[place : place + LOOK_AHEAD]]
            feeds = bool(following) and (following[0] in MAKES_FIRST or any(name in MAKES for name in following))
            before = events.name(rows[place - 1]) if place else ""
            number = place - begins[bisect_right(begins, place) - 1] if alike and place >= begins[0] else 0
            found.append(PythonGap(start, end, feeds, (before, following[0] if following else "", number)))
    return tuple(found)


Pair = tuple[str, str]  # an operator and the one that follows it


@lru_cache(maxsize=32)
def _pauses(trace: Trace) -> tuple[dict[Pair, list[int]], dict[str, list[int]]]:
    """Every pause of the main thread by the operators around it, and every operator's time by its name."""
    events = trace.events
    rows = [row for row in outermost_rows(events, main_thread(trace)) if _near(trace, row)]
    pauses: dict[Pair, list[int]] = defaultdict(list)
    lengths: dict[str, list[int]] = defaultdict(list)
    for row, following in pairwise(rows):
        pause = events.start_ns[following] - events.end_ns[row]
        pauses[events.name(row), events.name(following)].append(max(0, pause))
        lengths[events.name(row)].append(events.end_ns[row] - events.start_ns[row])
    return pauses, lengths


def typical_pauses(trace: Trace) -> dict[Pair, float]:
    return {pair: median(own) for pair, own in _pauses(trace)[0].items()}


def typical_times(trace: Trace) -> tuple[dict[Pair, float], dict[str, float], float]:
    """Median times in a step of the main thread: of each pause, of each operator, and of the whole step.

    On a busy machine interruptions may take longer than the program does; a median leaves them out.
    """
    pauses, lengths = _pauses(trace)
    steps = len(trace.steps)
    between = {pair: median(own) * len(own) / steps for pair, own in pauses.items()}
    within = {name: median(own) * len(own) / steps for name, own in lengths.items()}
    return between, within, sum(between.values()) + sum(within.values())


def is_interrupted(trace: Trace) -> bool:
    """Whether most of the step is in none of its typical times: the machine was busy with something else."""
    whole = typical_times(trace)[2]
    return 0 < whole < INTERRUPTED * trace.step_ns


def recurring_share(trace: Trace, found: Sequence[PythonGap]) -> float:
    """The share of the step that every step loses at the same place. Interruptions by the system fall anywhere.

    The larger of two estimates: by the pauses of typical_times, and by the step's places.
    """
    between, _, whole = typical_times(trace)
    times = Counter(gap.place[:2] for gap in found)
    all_times = {pair: len(own) for pair, own in _pauses(trace)[0].items()}
    most = {pair for pair, count in times.items() if 2 * count >= all_times.get(pair, 0)}
    by_pauses = sum(between.get(pair, 0.0) for pair in most) / whole if is_interrupted(trace) else 0.0
    return min(1.0, max(by_pauses, _share_by_places(trace, found)))


def _share_by_places(trace: Trace, found: Sequence[PythonGap]) -> float:
    starts = [start for start, _ in trace.steps]
    lost: dict[Place, list[int]] = defaultdict(lambda: [0] * len(starts))
    for gap in found:
        lost[gap.place][max(0, bisect_right(starts, gap.start_ns) - 1)] += gap.length_ns
    typical = median(end - start for start, end in trace.steps)
    return min(1.0, sum(median(own) for own in lost.values()) / typical) if typical else 0.0


def outermost_rows(events: Events, thread: Thread | None) -> list[int]:
    """Operators of a thread that no other operator calls, those of backward passes among them, by their start."""
    rows = events.where(Kind.OPERATOR)
    return outermost(events, (row for row in rows if thread is None or thread_of(events, row) == thread))


def _near(trace: Trace, row: int) -> bool:
    first, last = trace.window[0][0], trace.window[-1][1]
    return trace.events.end_ns[row] > first and trace.events.start_ns[row] < last + AFTER_NS


def _is_named(trace: Trace, row: int) -> bool:
    """Waits for input have their own rule, and calls of a runtime are no Python."""
    return trace.events.kind[row] == Kind.RUNTIME or is_input(trace.events.name(row))


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
    return best[1] if best and not is_step(best[1]) else UNNAMED
