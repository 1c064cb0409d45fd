"""Profiles in HTML: a fragment for each question (one step, stacks, memory, compiler), for any page that has the style.

A page that shows a fragment puts the text of `style()` into its style sheet; the classes are those of the report.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from perfproof.core import units
from perfproof.core.events import Events
from perfproof.profile.compile_log import CompileLog, Kind
from perfproof.profile.memory_story import MemoryStory
from perfproof.profile.sampled_stacks import THREAD
from perfproof.profile.weighed_stacks import Stacks
from perfproof.report.figures.flame import flame
from perfproof.report.figures.memory_timeline import Memory, memory_timeline
from perfproof.report.figures.step_timeline import CAUSES, paused, step_timeline
from perfproof.report.html import profile_tables as tables
from perfproof.report.html.figures import Figure
from perfproof.report.html.tables import Table
from perfproof.report.profile_lanes import chosen_window, lanes_of

SECOND = 1e9


@dataclass(frozen=True)
class Fragment:
    """A section of a page: what it shows, in a picture, in lines and in tables, and what it cannot know."""

    ident: str
    heading: str
    figure: Figure | None = None
    facts: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)


def timeline_fragment(events: Events, ident: str = "step") -> Fragment | None:
    """One step; None for a profile without times."""
    found = chosen_window(events)
    if found is None:
        return None
    window, what = found
    lanes = lanes_of(events, window)
    length = (window[1] - window[0]) / SECOND
    heading = "One step" if what.startswith("step") else "Timeline"
    svg = step_timeline(f"{ident}-p", f"{heading}, by stream and thread", lanes, 0.0, length)
    if svg is None:
        return None
    caption = f"{what.capitalize()}: {units.seconds(length)}. Rest the pointer on a block for its name and time."
    if any(lane.pauses for lane in lanes):
        caption += " Idle time is that of the whole device. Where many are short, a block is as high as it is busy."
    idle = [
        (f"idle: {CAUSES.get(cause, cause)}", f"{units.seconds(seconds)}, {units.percent(seconds / length)}")
        for cause, seconds in paused(lanes, 0.0, length).items()
    ]
    unknown = [(name, why) for name, why in events.unknown.items() if name == "device"]
    return Fragment(ident, heading, Figure(svg, caption), idle, tables.device_tables(events), unknown)


def flame_fragment(stacks: Stacks, ident: str = "flame", heading: str = "Flame graph") -> Fragment | None:
    """Where the host's time went; None without stacks."""
    is_ours = any(path and path[0].startswith(THREAD) for path in stacks.weights)
    shown = weight_in_words("milliseconds" if is_ours and stacks.unit == "samples" else stacks.unit)
    svg = flame(f"{ident}-p", heading, stacks.weights, shown)
    if svg is None:
        return None
    caption = (
        f"{shown(stacks.total)} in all. The outermost frame is above; a frame is as wide as it weighs, and one colour "
        "is one file. Left to right is weight, not time."
    )
    functions = tables.functions_table(stacks, shown)
    found = [functions] if functions else []
    return Fragment(ident, heading, Figure(svg, caption), tables=[*found, tables.frames_table(stacks, shown)])


def memory_fragments(stories: Sequence[MemoryStory], ident: str = "memory") -> list[Fragment]:
    return [_memory_fragment(story, f"{ident}{number}") for number, story in enumerate(stories, start=1)]


def _memory_fragment(story: MemoryStory, ident: str) -> Fragment:
    svg = memory_timeline(f"{ident}-p", f"Live memory, {story.device}", _memory(story))
    bands = " Every second step has a band." if len(story.steps) > 1 else ""
    caption = f"Live bytes since the recording began, {story.allocations:,} allocations.{bands}"
    facts = []
    sizes = (("peak of live bytes", story.peak_bytes), ("reserved", story.reserved_bytes))
    for name, value in (*sizes, ("lost to rounding", story.rounding_bytes)):
        if value is not None:
            facts.append((name, units.both_bytes(value)))
    if story.fragmentation is not None:
        text = f"{units.percent(story.fragmentation)}: 1 − largest free block / free in what is reserved"
        facts.append(("fragmentation", text))
    if story.times_ns and "leaks" not in story.unknown:
        facts.append(("leaks across steps", f"{len(story.leaks)} found" if story.leaks else "none found"))
    return Fragment(
        ident,
        f"Memory, {story.device}",
        Figure(svg, caption) if svg else None,
        facts,
        tables.memory_tables(story),
        list(story.unknown.items()),
    )


def compile_fragment(log: CompileLog, ident: str = "compiler") -> Fragment:
    facts = [("log", log.source)]
    if log.compiled is not None:
        facts.append(("frames compiled", f"{log.compiled:,}"))
    kinds: tuple[Kind, ...] = ("graph break", "recompile")
    for kind in kinds:
        count, late = log.count(kind), log.count(kind, late=True)
        after = "unknown how many after warm-up" if late is None else f"{late:,} after warm-up"
        facts.append((f"{kind}s", "unknown" if count is None else f"{count:,}, {after}"))
    table = tables.compile_table(log)
    return Fragment(ident, "Compiler", None, facts, [table] if table else [], list(log.unknown.items()))


def readings_fragment(events: Events, ident: str = "readings") -> Fragment | None:
    """Series of readings, such as telemetry, as a table."""
    table = tables.readings_table(events)
    return Fragment(ident, "Readings", tables=[table]) if table else None


def counters_fragment(events: Events, ident: str = "counters") -> Fragment | None:
    """Counters of a whole run, such as those of `perf stat`."""
    table = tables.counters_table(events)
    return Fragment(ident, "Counters", tables=[table]) if table else None


def modules_fragment(events: Events, ident: str = "modules") -> Fragment | None:
    """Time and memory per nn.Module."""
    table = tables.modules_table(events)
    return Fragment(ident, "Modules", tables=[table]) if table else None


def weight_in_words(unit: str) -> Callable[[float], str]:
    if unit == "time_ns":
        return lambda weight: units.seconds(weight / SECOND)
    if unit == "milliseconds":
        return lambda weight: units.seconds(weight / 1e3)
    return lambda weight: f"{weight:,.0f} {unit.removesuffix('s') if weight == 1 else unit}"


def _memory(story: MemoryStory) -> Memory:
    """Whole numbers are subtracted before they become seconds: a time since 1970 has too many digits for a float."""
    start = story.times_ns[0] if story.times_ns else 0
    return Memory(
        [(time - start) / SECOND for time in story.times_ns],
        list(story.live_bytes),
        [((begin - start) / SECOND, (end - start) / SECOND) for begin, end in story.steps],
        story.reserved_bytes,
    )
