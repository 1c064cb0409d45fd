"""Steps of a program that marks none: the sequence of its work repeats, and one turn is a step.

The sequence is the device's work by name; without a device it is the host's outermost operators. An *anchor* is a name
that comes once per turn. Every frequent name is tried: its occurrences cut the sequence into turns, and the names in a
turn are its content. The anchor whose usual content covers the most work wins; of equals the one with the most turns.
A layer of a model repeats too, but the turn with the optimizer in it has other content, so that the whole step covers
more.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from perfproof.core.events import ABSENT, DEVICE_WORK, Events, Kind
from perfproof.profile.intervals import total, union
from perfproof.profile.steps import Step, Steps

FEWEST = 4  # turns; the first is often start-up
COVERS = 0.6  # of the work, in turns of the usual content; with less nothing repeats
AS_GOOD = 0.02  # of the coverage
MOST_ROWS = 200_000  # of the sequence; the latest count
MOST_ANCHORS = 24
USUAL = 0.8  # of the turns: what so many contain belongs to a turn whose content varies
SHORTEST_NS = 1_000_000  # of a step; shorter turns are taken together
LONG, FAR = 1.5, 3.0  # times the median: start-up at the beginning, an exception elsewhere
EXCEPTIONS, RARE, FEW = 0.5, 0.02, 2  # of the time, and of the turns (or a few): more are no exceptions
WHAT = {True: "kernels and copies", False: "operators"}


@dataclass(frozen=True)
class Turns:
    """Where the anchor begins, whether each turn has the usual content, and how much of the work those cover."""

    anchor: int
    places: list[int]
    usual: list[bool]
    covers: float


def repeated_steps(events: Events, rank: int = ABSENT) -> Steps:
    """Steps without a source where nothing repeats."""
    device = _device_sequence(events, rank)
    rows = device or _host_sequence(events, rank)
    rows = rows[-MOST_ROWS:]
    lengths = [events.end_ns[row] - events.start_ns[row] for row in rows]
    until_next = [events.start_ns[after] - events.start_ns[row] for row, after in pairwise(rows)]
    names = [events.name_id[row] for row in rows]
    turns = _best_turns(names, lengths) or (None if device else _best_turns(names, [*until_next, *lengths[-1:]]))
    if turns is None:
        return Steps()
    starts = [events.start_ns[rows[place]] for place in turns.places]
    steps = [Step(start, end) for start, end in pairwise(starts) if end > start]
    usual = [fits for fits, start, end in zip(turns.usual, starts[:-1], starts[1:], strict=True) if end > start]
    kept = _typical(*_without_start(steps, usual))
    if len(kept) < FEWEST - 1:
        return Steps()
    per_step, grouped = _grouped(kept)
    together = f", {per_step} at a time" if per_step > 1 else ""
    work = len(rows) / max(1, len(turns.places))
    source = (
        f"found by {WHAT[bool(device)]} that repeat {len(steps)} times, about {max(1, round(work))} in a turn{together}"
    )
    return Steps(tuple(grouped), source, len(steps), chosen=True)


def _device_sequence(events: Events, rank: int) -> list[int]:
    """Work of the busiest device, by time."""
    by_device: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in events.where(*DEVICE_WORK):
        if rank in (ABSENT, events.rank[row]):
            by_device[events.rank[row], events.device[row]].append(row)
    if not by_device:
        return []
    busiest = max(
        by_device.values(), key=lambda rows: total(union((events.start_ns[r], events.end_ns[r]) for r in rows))
    )
    return sorted(busiest, key=lambda row: (events.start_ns[row], events.end_ns[row]))


def _host_sequence(events: Events, rank: int) -> list[int]:
    """Operators that no other calls, of the thread whose operators cover the most time."""
    by_thread: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in events.where(Kind.OPERATOR):
        if rank in (ABSENT, events.rank[row]):
            by_thread[events.process[row], events.thread[row]].append(row)
    found = [outermost(events, rows) for rows in by_thread.values()]
    return max(found, key=lambda rows: sum(events.end_ns[r] - events.start_ns[r] for r in rows), default=[])


def outermost(events: Events, rows: Iterable[int]) -> list[int]:
    """Those of the rows that lie in no other one, by their start."""
    kept: list[int] = []
    for row in sorted(rows, key=lambda row: (events.start_ns[row], -events.end_ns[row])):
        if not kept or events.start_ns[row] >= events.end_ns[kept[-1]]:
            kept.append(row)
    return kept


def _best_turns(names: Sequence[int], lengths: Sequence[int]) -> Turns | None:
    """By the same content in every turn; where contents vary, by what nearly all turns contain."""
    tried = _anchors(names)
    for cut in (_same_content, _common_content):
        found = [turns for anchor in tried if (turns := cut(names, lengths, anchor)) is not None]
        best = max((one.covers for one in found), default=0.0)
        if best >= COVERS:
            return max(
                (one for one in found if one.covers >= best - AS_GOOD), key=lambda one: (len(one.places), one.covers)
            )
    return None


def _anchors(names: Sequence[int]) -> list[int]:
    """One name for each number of occurrences, the rarest first: those that come equally often cut alike."""
    by_count: dict[int, int] = {}
    for name, count in Counter(names).items():
        if count >= FEWEST:
            by_count.setdefault(count, name)
    return [by_count[count] for count in sorted(by_count)[:MOST_ANCHORS]]


def _cut(names: Sequence[int], anchor: int) -> list[int]:
    return [place for place, name in enumerate(names) if name == anchor]


def _same_content(names: Sequence[int], lengths: Sequence[int], anchor: int) -> Turns | None:
    places = _cut(names, anchor)
    contents = [frozenset(names[start:end]) for start, end in pairwise(places)]
    usual, count = Counter(contents).most_common(1)[0]
    if count < FEWEST - 1:
        return None
    return _turns(lengths, anchor, places, [content == usual for content in contents])


def _common_content(names: Sequence[int], lengths: Sequence[int], anchor: int) -> Turns | None:
    places = _cut(names, anchor)
    contents = [frozenset(names[start:end]) for start, end in pairwise(places)]
    seen = Counter(name for content in contents for name in content)
    core = {name for name, count in seen.items() if count >= USUAL * len(contents)}
    if len(core) < 2:  # the anchor alone repeats in anything
        return None
    return _turns(lengths, anchor, places, [core <= content for content in contents])


def _turns(lengths: Sequence[int], anchor: int, places: list[int], usual: list[bool]) -> Turns:
    """The work after the last anchor may be one more turn, cut off: it is not held against the anchor."""
    spans = list(pairwise(places))
    covered = sum(sum(lengths[start:end]) for (start, end), fits in zip(spans, usual, strict=True) if fits)
    beyond = min(sum(lengths[places[-1] :]), covered / max(1, sum(usual)))
    return Turns(anchor, places, usual, covered / max(1, sum(lengths) - beyond))


def _without_start(steps: list[Step], usual: list[bool]) -> tuple[list[Step], list[bool]]:
    """Turns at the beginning that are longer than later ones, or have other content, are the program's start."""
    later = [step.end_ns - step.start_ns for step in steps[len(steps) // 2 :]]
    limit = LONG * median(later) if later else 0
    begin = 0
    while begin < len(steps) // 2 and (not usual[begin] or steps[begin].end_ns - steps[begin].start_ns > limit):
        begin += 1
    return steps[begin:], usual[begin:]


def _typical(steps: list[Step], usual: list[bool]) -> list[Step]:
    """Without exceptions (a checkpoint, a validation), unless they take so much time that they are none."""
    lengths = [step.end_ns - step.start_ns for step in steps]
    own = [length for length, fits in zip(lengths, usual, strict=True) if fits]
    limit = FAR * median(own) if own else 0
    kept = [step for step, length, fits in zip(steps, lengths, usual, strict=True) if fits and length <= limit]
    left_out = sum(lengths) - sum(step.end_ns - step.start_ns for step in kept)
    exceptions, little = len(steps) - len(kept), left_out <= EXCEPTIONS * sum(lengths)
    if exceptions <= FEW and not little:
        return []  # most of the time is something that happens once or twice: no step is typical
    return kept if little and exceptions <= max(FEW, RARE * len(steps)) else steps


def _grouped(steps: list[Step]) -> tuple[int, list[Step]]:
    """How many turns a step has, and the steps: a turn of a few microseconds is too short to be one."""
    length = median(step.end_ns - step.start_ns for step in steps)
    count = max(1, min(-(-SHORTEST_NS // max(1, round(length))), len(steps) // (FEWEST - 1)))
    if count == 1:
        return 1, steps
    groups: list[Step] = []
    run: list[Step] = []
    for step in steps:
        if run and run[-1].end_ns != step.start_ns:
            run = []
        run.append(step)
        if len(run) == count:
            groups.append(Step(run[0].start_ns, run[-1].end_ns))
            run = []
    return (count, groups) if len(groups) >= FEWEST - 1 else (1, steps)
