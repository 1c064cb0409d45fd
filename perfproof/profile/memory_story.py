"""What a program did with its memory: live bytes over time, who holds the peak, what is wasted, what leaks.

Live bytes count from the beginning of the recording: what was held before it is in no file, and is said to be unknown.
"""

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from perfproof.core.events import Events, Series
from perfproof.profile.allocations import Allocation, Recorded, Stack
from perfproof.profile.intervals import Interval
from perfproof.profile.steps import HOW_TO_MARK

MOST = 20  # holders, tensors and leaks that are told
FEWEST_STEPS = 3  # two that could leak, and one more to release in
ALLOCATED = ".allocated_bytes"
GPU_MEMORY = ("GPU memory",)  # what the reader of snapshots calls its totals


@dataclass(frozen=True)
class Holder:
    """Memory that one stack asked for and that lived at the peak."""

    stack: Stack
    bytes: int
    count: int


@dataclass(frozen=True)
class Leak:
    """What a stack asks for in every step and nobody releases."""

    stack: Stack
    bytes_a_step: float
    steps: int
    bytes: int


@dataclass(frozen=True)
class MemoryStory:
    """Of one device. What could not be found out is in `unknown`, with the reason."""

    device: str
    times_ns: array
    live_bytes: array
    peak_ns: int | None
    peak_bytes: int | None
    allocations: int = 0
    holders: list[Holder] = field(default_factory=list)
    largest: list[Allocation] = field(default_factory=list)  # alive at the peak
    leaks: list[Leak] = field(default_factory=list)
    steps: list[Interval] = field(default_factory=list)
    reserved_bytes: int | None = None
    fragmentation: float | None = None  # 1 - largest free block / free in what is reserved
    rounding_bytes: int | None = None
    unknown: dict[str, str] = field(default_factory=dict)


def memory_stories(recorded: Recorded, events: Events) -> list[MemoryStory]:
    """One for each device that has allocations, or readings of how much is allocated."""
    steps = recorded.steps
    by_device: dict[str, list[Allocation]] = defaultdict(list)
    for one in recorded.allocations:
        by_device[one.device].append(one)
    told = [_story(device, own, steps, events) for device, own in sorted(by_device.items())]
    for name, series in sorted(events.series.items()):
        device = name.removesuffix(ALLOCATED)
        if name.endswith(ALLOCATED) and device not in by_device and len(series.values):
            told.append(_of_series(device, series, steps))
    known = {story.device for story in told}
    unseen = sorted({f"gpu{total.device}" for total in events.totals if total.path == GPU_MEMORY} - known)
    return told + [_of_totals(device, events) for device in unseen]


def _story(device: str, own: list[Allocation], steps: list[Interval], events: Events) -> MemoryStory:
    times, live = timeline(own)
    place = max(range(len(live)), key=live.__getitem__)
    held = alive_at(own, times[place])
    unknown = {"before the recording": "memory that was held when the recording began is not counted"}
    if len(steps) < FEWEST_STEPS:
        unknown["leaks"] = HOW_TO_MARK if not steps else f"{len(steps)} steps are too few: record {FEWEST_STEPS}"
    if not any(one.stack for one in own):
        unknown["stacks"] = "none were recorded; use with_stack=True, or _record_memory_history(stacks='python')"
    return MemoryStory(
        device,
        times,
        live,
        peak_ns=times[place],
        peak_bytes=live[place],
        allocations=len(own),
        holders=_holders(held),
        largest=sorted(held, key=lambda one: -one.bytes)[:MOST],
        leaks=_leaks(own, steps),
        steps=steps,
        unknown=unknown,
        **_reserved(device, events, unknown),  # type: ignore[arg-type]
    )


def _of_series(device: str, series: Series, steps: list[Interval]) -> MemoryStory:
    times, live = array("q", series.times_ns), array("q", (max(0, int(value)) for value in series.values))
    place = max(range(len(live)), key=live.__getitem__)
    unknown = dict.fromkeys(("holders", "leaks"), "the file has readings of the sum only, no single allocations")
    return MemoryStory(device, times, live, times[place], live[place], steps=steps, unknown=unknown)


def _of_totals(device: str, events: Events) -> MemoryStory:
    unknown = {"timeline": "the snapshot has no history; call _record_memory_history before the work"}
    return MemoryStory(
        device,
        array("q"),
        array("q"),
        None,
        None,
        unknown=unknown,
        **_reserved(device, events, unknown),  # type: ignore[arg-type]
    )


def timeline(own: Iterable[Allocation]) -> tuple[array, array]:
    """Live bytes from each time to the next. Of one moment the releases of older memory come first."""
    changes: list[tuple[int, int, int]] = []
    for one in own:
        changes.append((one.start_ns, 1, one.bytes))
        if one.released:
            changes.append((one.end_ns, 2 if one.end_ns == one.start_ns else 0, -one.bytes))
    times, live = array("q"), array("q")
    now = 0
    for time, _, change in sorted(changes):
        now += change
        times.append(time)
        live.append(now)
    return times, live


def alive_at(own: Iterable[Allocation], time_ns: int) -> list[Allocation]:
    """Those that lived when everything of this moment was born: they add up to the timeline's highest value there."""
    return [
        one
        for one in own
        if one.start_ns <= time_ns and (one.end_ns > time_ns or not one.released or one.start_ns == time_ns)
    ]


def _holders(held: Iterable[Allocation]) -> list[Holder]:
    sizes: Counter[Stack] = Counter()
    counts: Counter[Stack] = Counter()
    for one in held:
        sizes[one.stack] += one.bytes
        counts[one.stack] += 1
    return [Holder(stack, size, counts[stack]) for stack, size in sizes.most_common(MOST)]


def _leaks(own: Iterable[Allocation], steps: list[Interval]) -> list[Leak]:
    """Stacks whose memory of every step is never released. The first step may be without (it warms up), and the last
    proves nothing: what it holds may be released in the next one."""
    if len(steps) < FEWEST_STEPS:
        return []
    judged = steps[:-1]
    kept: dict[Stack, Counter[int]] = defaultdict(Counter)
    for one in own:
        if not one.released and (step := _step_of(one.start_ns, judged)) is not None:
            kept[one.stack][step] += one.bytes
    every = set(range(1, len(judged)))
    found = [
        Leak(stack, sum(sizes.values()) / len(sizes), len(sizes), sum(sizes.values()))
        for stack, sizes in kept.items()
        if len(sizes) >= FEWEST_STEPS - 1 and every <= set(sizes)
    ]
    return sorted(found, key=lambda leak: -leak.bytes)[:MOST]


def _step_of(time_ns: int, steps: list[Interval]) -> int | None:
    """Which of the steps, sorted and apart, a time lies in."""
    place = bisect_right(steps, time_ns, key=lambda step: step[0]) - 1
    return place if place >= 0 and time_ns < steps[place][1] else None


def _reserved(device: str, events: Events, unknown: dict[str, str]) -> dict[str, float | int | None]:
    """What the snapshot says of the allocator's own memory."""
    for total in events.totals:
        if total.path == GPU_MEMORY and device == f"gpu{total.device}":
            if "fragmentation" not in total.values:
                unknown["fragmentation"] = "nothing that is reserved was free at the moment of the snapshot"
            return {
                "reserved_bytes": int(total.values["reserved_bytes"]),
                "fragmentation": total.values.get("fragmentation"),
                "rounding_bytes": int(total.values["rounding_bytes"]),
            }
    unknown["fragmentation"] = "only a snapshot of the GPU's allocator tells which blocks are free"
    return {}
