"""Everything that one profile file has to tell: read once, for the page, the exports and the JSON of `view`."""

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shlex import quote
from statistics import median
from typing import Any

from perfproof.core import units
from perfproof.core.errors import DocumentError
from perfproof.core.events import DEVICE_WORK, Events, Kind
from perfproof.profile import compile_log, reading
from perfproof.profile.allocations import Recorded, recorded_in
from perfproof.profile.compile_log import CompileLog
from perfproof.profile.memory_story import MemoryStory, memory_stories
from perfproof.profile.modules import modules_of
from perfproof.profile.opening import read_text
from perfproof.profile.origin import Origin, origin_of
from perfproof.profile.weighed_stacks import Stacks, stacks_of

TRACE, STACKS = ".trace.json.gz", ".stacks.txt"  # how two files of one capture end
MOST = 20  # entries of each list in the JSON


@dataclass(frozen=True)
class Viewed:
    path: Path
    events: Events
    recorded: Recorded = field(default_factory=lambda: Recorded([], []))
    stories: list[MemoryStory] = field(default_factory=list)
    stacks: Stacks = field(default_factory=Stacks)
    sampled: Stacks = field(default_factory=Stacks)  # of the program's lines, from the file beside a trace of ours
    log: CompileLog | None = None
    origin: Origin | None = None  # what `perfproof profile` wrote about it, if it did


def view_file(path: Path) -> Viewed:
    """A profile that one of the readers knows, or a log of torch.compile."""
    try:
        events = _most_work(reading.read_each(path))
    except DocumentError as no_profile:
        log = _compile_log(path)
        if log is None:
            raise no_profile from None
        return Viewed(path, Events("compiler log"), log=log, origin=origin_of(path))
    recorded, sampled = recorded_in(events), _sampled_beside(path)
    stories = memory_stories(recorded, events)
    return Viewed(path, events, recorded, stories, stacks_of(events), sampled, origin=origin_of(path))


def _sampled_beside(path: Path) -> Stacks:
    """The samples that `perfproof profile` took while it recorded this trace."""
    beside = path.with_name(path.name.removesuffix(TRACE) + STACKS)
    if not path.name.endswith(TRACE) or not beside.is_file():
        return Stacks()
    with suppress(DocumentError):
        return stacks_of(reading.read(beside))
    return Stacks()


def _most_work(tables: list[Events]) -> Events:
    """A page shows one process: of several, the one whose device works longest."""

    def work(events: Events) -> int:
        return sum(events.end_ns[row] - events.start_ns[row] for row in events.where(*DEVICE_WORK))

    shown = max(tables, key=work)
    if len(tables) > 1:
        shown.warnings.append(f"rank {shown.rank[0]} is shown, whose device works longest; `diagnose` looks at all")
    return shown


def title_of(viewed: Viewed) -> str:
    """What was recorded, when and where; the file's name if that is not known."""
    return viewed.origin.title if viewed.origin else viewed.path.name


def remarks(viewed: Viewed) -> list[str]:
    """What the reader should know before the pictures."""
    busy = [viewed.origin.busy] if viewed.origin and viewed.origin.busy else []
    return busy + viewed.events.warnings + (viewed.log.warnings if viewed.log else [])


def facts(viewed: Viewed) -> list[tuple[str, str]]:
    """The lines above the first picture."""
    events = viewed.events
    found = [("command", viewed.origin.command)] if viewed.origin and viewed.origin.command else []
    found += [("file", viewed.path.name), ("kind", events.source)]
    if len(events):
        length = (max(events.end_ns) - min(events.start_ns)) / 1e9
        found.append(("events", f"{len(events):,} over {units.seconds(length)}"))
    kernels = len(events.where(Kind.KERNEL))
    if kernels:
        found.append(("kernels", f"{kernels:,}"))
    known = bool(len(events) or viewed.log or viewed.stacks.weights)  # to `diagnose`; counters alone are not
    if viewed.origin.is_diagnosed if viewed.origin else known:
        what = viewed.path.parent if viewed.origin and viewed.origin.is_alone else viewed.path
        found.append(("diagnosis", f"perfproof diagnose {quote(str(what))} --html diagnosis.html"))
    return found


def summary(viewed: Viewed) -> dict[str, Any]:
    """What `--json` prints: numbers and names, unknown things with their reason."""
    from perfproof.report.figures.flame import own_weights

    own = list(own_weights(viewed.stacks.weights).items())[:MOST]
    return {
        "title": title_of(viewed),
        "facts": dict(facts(viewed)),
        "file": str(viewed.path),
        "source": viewed.events.source,
        "events": len(viewed.events),
        "stacks": {
            "unit": viewed.stacks.unit,
            "total": viewed.stacks.total,
            "innermost": [{"frame": frame, "weight": weight} for frame, weight in own],
        },
        "device_work": _device_work(viewed.events),
        "series": {
            name: {
                "unit": one.unit,
                "readings": len(one.values),
                "lowest": min(one.values),
                "median": median(one.values),
                "highest": max(one.values),
            }
            for name, one in sorted(viewed.events.series.items())
            if len(one.values)
        },
        "counters": {" ".join(one.path): one.values["value"] for one in viewed.events.totals if "value" in one.values},
        "modules": [asdict(one) for one in modules_of(viewed.events)],
        "memory": [_story(story) for story in viewed.stories],
        "compiler": _log(viewed.log),
        "unknown": viewed.events.unknown,
        "warnings": remarks(viewed),
    }


def _device_work(events: Events) -> list[dict[str, Any]]:
    """Kernels, copies and fills by time; operators if the profile has no device."""
    sums: dict[str, list[int]] = {}
    for row in events.where(*DEVICE_WORK) or events.where(Kind.OPERATOR):
        own = sums.setdefault(events.name(row), [0, 0])
        own[0] += 1
        own[1] += events.end_ns[row] - events.start_ns[row]
    longest = sorted(sums.items(), key=lambda one: -one[1][1])[:MOST]
    return [{"name": name, "count": count, "seconds": spent / 1e9} for name, (count, spent) in longest]


def _compile_log(path: Path) -> CompileLog | None:
    try:
        return compile_log.read_compile_log(read_text(path))
    except DocumentError:
        return None


def _story(story: MemoryStory) -> dict[str, Any]:
    return {
        "device": story.device,
        "allocations": story.allocations,
        "peak_bytes": story.peak_bytes,
        "peak_ns": story.peak_ns,
        "reserved_bytes": story.reserved_bytes,
        "fragmentation": story.fragmentation,
        "rounding_bytes": story.rounding_bytes,
        "steps": len(story.steps),
        "holders": [{"stack": one.stack, "bytes": one.bytes, "count": one.count} for one in story.holders],
        "largest": [{"stack": one.stack, "bytes": one.bytes, "released": one.released} for one in story.largest],
        "leaks": [
            {"stack": one.stack, "bytes_a_step": one.bytes_a_step, "steps": one.steps, "bytes": one.bytes}
            for one in story.leaks
        ],
        "unknown": story.unknown,
    }


def _log(log: CompileLog | None) -> dict[str, Any] | None:
    return None if log is None else asdict(log)
