"""How a capture's time divides: kernels, copies and fills of the device; operators, or stack frames, of the host.

Work of the device is added up by name, grid and block. Operators are given only where the device did nothing, each
without the time of those it called. Frames are counted where they are innermost.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

from perfproof.core.events import DEVICE_WORK, Events, Kind
from perfproof.core.profile_record import Portion
from perfproof.profile.kernel_names import split_name
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.roles import metrics_of
from perfproof.profile.ncu.csv import CountedKernel
from perfproof.profile.readers.proton import launched

NAMES: dict[Kind, Any] = {Kind.KERNEL: "kernel", Kind.COPY: "copy", Kind.FILL: "fill", Kind.OPERATOR: "operator"}
COUNTED = {"count", "samples", "time_ns"}  # of totals; what else is added up (bytes of memory) is no share of time
TIME = "gpu__time_duration.sum"


def portions(events: Events) -> list[Portion]:
    """The largest first; everything of the table counts, so it must hold the captured calls only."""
    device = events.where(*DEVICE_WORK)
    if device:
        found = _added_up(events, ((row, events.end_ns[row] - events.start_ns[row]) for row in device))
    elif operators := events.where(Kind.OPERATOR):
        found = _added_up(events, _self_times(events, operators))
    elif events.source == "proton":
        found = _launched(events)
    else:
        found = _frames(events)
    return _largest(found)


def a_call(found: Iterable[Portion], calls: int) -> list[Portion]:
    """Of one call, where so many were captured."""
    return [
        one.model_copy(
            update={
                "launches": one.launches if one.kind == "frame" else one.launches / calls,
                "seconds": None if one.seconds is None else one.seconds / calls,
            }
        )
        for one in found
    ]


def counted_portions(kernels: Iterable[CountedKernel], asked: Iterable[str] = ()) -> list[Portion]:
    """From ncu: counters of a launch as the mean over its launches; time is one of them.

    A page has hundreds of columns about the device that nobody asked for: with `asked`, those metrics are kept, and the
    facts of the launch that come with every page.
    """
    wanted = frozenset(asked)
    groups: dict[tuple[str, str, str], list[CountedKernel]] = defaultdict(list)
    for kernel in kernels:
        groups[kernel.name, kernel.grid, kernel.block].append(kernel)
    return _largest([_counted(*key, launches=launches, wanted=wanted) for key, launches in groups.items()])


def _counted(
    name: str, grid: str, block: str, launches: list[CountedKernel], wanted: frozenset[str] = frozenset()
) -> Portion:
    counters: dict[str, float] = {}
    unknown: dict[str, str] = {}
    there = dict.fromkeys(metric for launch in launches for metric in launch.readings)
    for metric in [metric for metric in there if not wanted or metric in wanted or metric in _free()]:
        readings = [launch.readings.get(metric) for launch in launches]
        values = [one.value for one in readings if one is not None and one.value is not None]
        if len(values) == len(launches):
            counters[metric] = sum(values) / len(values)
        elif not wanted or metric in wanted:
            unknown[metric] = next((one.why for one in readings if one is not None and one.why), "not collected")
    time = counters.pop(TIME, None)
    plain = split_name(name)
    return Portion(
        kind="kernel",
        name=plain.plain,
        template=plain.template,
        grid=_tidy(grid),
        block=_tidy(block),
        launches=len(launches),
        seconds=None if time is None else time * len(launches),
        counters=counters,
        unknown=unknown,
    )


@cache
def _free() -> frozenset[str]:
    """Facts of a launch, which are the same on every chip."""
    return frozenset(metrics_of(["LAUNCH"], next(iter(chips()))))


def _added_up(events: Events, rows: Iterable[tuple[int, int]]) -> list[Portion]:
    """Rows with their nanoseconds."""
    sums: dict[tuple[Kind, str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row, taken in rows:
        kind = Kind(events.kind[row])
        grid, block = _shape(events.args_of(row)) if kind is Kind.KERNEL else ("", "")
        total = sums[kind, events.name(row), grid, block]
        total[0] += 1
        total[1] += taken
    found = []
    for (kind, name, grid, block), (count, taken) in sums.items():
        plain = split_name(name) if kind is Kind.KERNEL else split_name("")._replace(plain=name)
        found.append(
            Portion(
                kind=NAMES[kind],
                name=plain.plain,
                template=plain.template,
                grid=grid,
                block=block,
                launches=count,
                seconds=taken * 1e-9,
            )
        )
    return found


def _self_times(events: Events, rows: list[int]) -> list[tuple[int, int]]:
    """Each operator's time without that of the operators inside it, on its own thread."""
    own = {row: events.end_ns[row] - events.start_ns[row] for row in rows}
    threads: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for row in rows:
        threads[events.rank[row], events.process[row], events.thread[row]].append(row)
    for thread in threads.values():
        around: list[int] = []
        for row in sorted(thread, key=lambda row: (events.start_ns[row], -events.end_ns[row])):
            while around and events.end_ns[around[-1]] < events.end_ns[row]:
                around.pop()
            if around and events.start_ns[row] < events.end_ns[around[-1]]:
                own[around[-1]] -= events.end_ns[row] - events.start_ns[row]
            around.append(row)
    return [(row, max(0, taken)) for row, taken in own.items()]


def _launched(events: Events) -> list[Portion]:
    """Proton's kernels, wherever in the tree they were launched."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for total in launched(events):
        entry = sums[total.path[-1]]
        entry[0] += total.values["count"]
        entry[1] += total.values["time_ns"]
    return [
        Portion(kind="kernel", name=plain.plain, template=plain.template, launches=count, seconds=taken * 1e-9)
        for name, (count, taken) in sums.items()
        for plain in [split_name(name)]
    ]


def _frames(events: Events) -> list[Portion]:
    """Samples of the innermost frame."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    counted = [total for total in events.totals if total.path and not COUNTED.isdisjoint(total.values)]
    timed = any("time_ns" in total.values for total in counted)
    for total in counted:
        entry = sums[total.path[-1]]
        entry[0] += total.values.get("count", total.values.get("samples", 0.0))
        entry[1] += total.values.get("time_ns", 0.0)
    return [
        Portion(
            kind="call" if events.source == "strace" else "frame",
            name=name,
            launches=count,
            seconds=taken * 1e-9 if timed else None,
        )
        for name, (count, taken) in sums.items()
    ]


def _shape(args: dict[str, Any]) -> tuple[str, str]:
    """As torch (lists) or nsys (six columns) tells it; empty where neither does."""
    found = []
    for name in ("grid", "block"):
        sizes = args.get(name) or [args.get(f"{name}{axis}") for axis in "XYZ"]
        whole = isinstance(sizes, list) and all(type(size) is int for size in sizes)
        found.append("x".join(map(str, sizes)) if whole else "")
    return found[0], found[1]


def _tidy(shape: str) -> str:
    """ "(128, 1, 1)" of ncu as 128x1x1."""
    return "x".join(part.strip() for part in shape.strip("() ").split(",")) if "," in shape else shape


def _largest(found: list[Portion]) -> list[Portion]:
    return sorted(found, key=lambda one: (-(one.seconds or 0.0), -one.launches, one.name))
