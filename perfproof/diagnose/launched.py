"""Which operators launched a kernel, from the outermost to the innermost, and how long the device works for some."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from perfproof.core.events import Kind
from perfproof.diagnose.traces import Trace
from perfproof.profile.idle_causes import Thread, thread_of
from perfproof.profile.intervals import total
from perfproof.profile.launches import launch_of_work

Around = dict[int, tuple[int, ...]]  # per kernel the rows of operators and ranges around its launch, outermost first


@lru_cache(maxsize=32)  # several rules ask
def around_launches(trace: Trace) -> Around:
    """For each kernel of the steady time; empty for one that no operator launched."""
    events = trace.events
    calls = launch_of_work(events, trace.rows(Kind.KERNEL))
    by_thread: dict[Thread, list[int]] = defaultdict(list)
    for kernel, call in calls.items():
        by_thread[thread_of(events, call)].append(kernel)
    outer: dict[Thread, list[int]] = defaultdict(list)
    for row in events.where(Kind.OPERATOR, Kind.RANGE):
        outer[thread_of(events, row)].append(row)
    found: Around = {}
    for thread, kernels in by_thread.items():
        found |= _nested(trace, outer[thread], {kernel: events.start_ns[calls[kernel]] for kernel in kernels})
    return found


def _nested(trace: Trace, rows: list[int], moments: dict[int, int]) -> Around:
    """What is open at each moment."""
    starts, ends = trace.events.start_ns, trace.events.end_ns
    rows = sorted(rows, key=lambda row: (starts[row], -ends[row]))
    found: Around = {}
    opened: list[int] = []
    place = 0
    for kernel, moment in sorted(moments.items(), key=lambda one: one[1]):
        while place < len(rows) and starts[rows[place]] <= moment:
            opened = [row for row in opened if ends[row] > starts[rows[place]]]
            opened.append(rows[place])
            place += 1
        opened = [row for row in opened if ends[row] > moment]
        found[kernel] = tuple(opened)
    return found


def kernels_under(trace: Trace, operators: Iterable[int]) -> list[int]:
    """The kernels that these operators launched, or what they called."""
    wanted = set(operators)
    return [kernel for kernel, around in around_launches(trace).items() if not wanted.isdisjoint(around)]


def device_share(trace: Trace, operators: Iterable[int]) -> float:
    """The share of the step in which the device works for these operators and for nothing else."""
    return trace.share(total(trace.alone(kernels_under(trace, operators))))


def covered_share(trace: Trace, operators: list[int]) -> float:
    """The share of the step that these operators take: on the device if there is one, else on the host."""
    return device_share(trace, operators) if trace.devices else trace.share(total(trace.covered(operators)))
