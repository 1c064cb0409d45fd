"""The tables of a profile: device work by time, frames by weight, who holds memory, what the compiler could not do."""

from collections import Counter
from collections.abc import Callable, Mapping
from statistics import median

from perfproof.core import units
from perfproof.core.events import DEVICE_WORK, Events, Kind
from perfproof.profile.compile_log import CompileLog
from perfproof.profile.memory_story import MemoryStory
from perfproof.profile.modules import modules_of
from perfproof.profile.own_functions import own_functions
from perfproof.profile.sampled_stacks import HELD
from perfproof.profile.weighed_stacks import Stacks
from perfproof.report.figures.bars import cell_bar
from perfproof.report.figures.flame import own_weights
from perfproof.report.html.tables import Cell, Table

MOST = 15
SHOWN_FRAMES = 4  # of a stack: the innermost
NO_STACK = "no stack was recorded"
SECOND = 1e9


def device_tables(events: Events) -> list[Table]:
    """Kernels, copies and fills by their time; operators where the profile has no device."""
    device = events.where(*DEVICE_WORK)
    rows = device or events.where(Kind.OPERATOR)
    if not rows:
        return []
    sums: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for row in rows:
        sums[events.name(row)] += events.end_ns[row] - events.start_ns[row]
        counts[events.name(row)] += 1
    most = max(sums.values()) or 1
    cells = [
        [Cell(name), Cell(f"{counts[name]:,}"), Cell(units.seconds(time / SECOND), cell_bar(time / most, "variant"))]
        for name, time in sums.most_common(MOST)
    ]
    caption = "Work of the device in all of the recording" if device else "Operators in all of the recording"
    note = _more(len(sums)) if device else f"Times include what an operator calls. {_more(len(sums))}".strip()
    return [Table(caption, ["name", "times", "in all"], cells, note)]


def frames_table(stacks: Stacks, shown: Callable[[float], str]) -> Table:
    own = own_weights(_named_python(stacks.weights))
    most = max(own.values())
    cells = [
        [
            Cell(name),
            Cell(units.percent(weight / stacks.total)),
            Cell(shown(weight), cell_bar(weight / most, "variant")),
        ]
        for name, weight in list(own.items())[:MOST]
    ]
    return Table("Innermost frames", ["frame", "share", "own weight"], cells, _more(len(own)))


def _named_python(weights: Mapping[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
    """The sampler's `[python]` with the function that ran."""
    named: Counter[tuple[str, ...]] = Counter()
    for path, weight in weights.items():
        is_python = len(path) > 1 and path[-1] == HELD
        named[(*path[:-1], f"{HELD} {path[-2]}") if is_python else path] += weight  # type: ignore[assignment]
    return dict(named)


def functions_table(stacks: Stacks, shown: Callable[[float], str]) -> Table | None:
    """The program's own functions, with all that they call; None for stacks of another tool."""
    found = own_functions(stacks.weights)
    if not found:
        return None
    most = found[0].weight
    cells = [
        [
            Cell(one.name),
            Cell(units.percent(one.weight / stacks.total)),
            Cell(shown(one.weight), cell_bar(one.weight / most, "variant")),
            Cell(units.percent(one.python / stacks.total)),
        ]
        for one in found[:MOST]
    ]
    note = (
        "A function counts with all that it calls, so the shares add up to more than 100 %. The last column is also a "
        f"share of the whole. {_more(len(found))}"
    )
    head = ["function", "share", "in all", "Python in its own lines"]
    return Table("The program's own functions", head, cells, note.strip())


def memory_tables(story: MemoryStory) -> list[Table]:
    found = []
    if story.leaks:
        cells = [
            [Cell(stack_in_words(one.stack)), Cell(units.binary_bytes(one.bytes_a_step)), Cell(f"{one.steps}"),
             Cell(units.binary_bytes(one.bytes))]
            for one in story.leaks
        ]  # fmt: skip
        note = "Asked for in every step and never released. What the last step holds is not counted."
        found.append(Table("Leaks across steps", ["stack", "a step", "steps", "in all"], cells, note))
    if story.holders:
        cells = [
            [Cell(stack_in_words(one.stack)), Cell(f"{one.count:,}"), Cell(units.binary_bytes(one.bytes),
             cell_bar(one.bytes / (story.peak_bytes or 1), "variant"))]
            for one in story.holders[:MOST]
        ]  # fmt: skip
        found.append(Table("Who holds the peak", ["stack", "allocations", "bytes"], cells))
    if story.largest:
        cells = [
            [Cell(stack_in_words(one.stack)), Cell(units.binary_bytes(one.bytes)),
             Cell(units.seconds((one.end_ns - one.start_ns) / SECOND)), Cell("yes" if one.released else "no")]
            for one in story.largest[:MOST]
        ]  # fmt: skip
        found.append(Table("Largest at the peak", ["stack", "bytes", "lived", "released"], cells))
    return found


def compile_table(log: CompileLog) -> Table | None:
    cells = [
        [Cell(f"{one.kind}: {one.reason}"), Cell(one.where), Cell(one.function), Cell(f"{one.count:,}"),
         Cell("unknown" if one.late is None else f"{one.late:,}")]
        for one in log.events
    ]  # fmt: skip
    head = ["what and why", "where", "function", "times", "after warm-up"]
    return Table("Graph breaks and recompiles", head, cells) if cells else None


def readings_table(events: Events) -> Table | None:
    cells = [
        [Cell(f"{name} [{series.unit}]" if series.unit not in ("", "B") else name), Cell(f"{len(series.values):,}"),
         *(Cell(units.binary_bytes(value) if series.unit == "B" else _reading(value))
           for value in (min(series.values), median(series.values), max(series.values)))]
        for name, series in sorted(events.series.items())
        if len(series.values)
    ]  # fmt: skip
    head = ["series", "readings", "lowest", "median", "highest"]
    return Table("Readings over time", head, cells) if cells else None


def counters_table(events: Events) -> Table | None:
    shown = events.about.get("units", {})
    cells = [
        [Cell(" ".join(one.path)), Cell(f"{_digits(one.values['value'])} {shown.get(one.path[0], '')}".rstrip())]
        for one in events.totals
        if "value" in one.values
    ]
    return Table("Counters of the whole run", ["counter", "value"], cells) if cells else None


def modules_table(events: Events) -> Table | None:
    found = modules_of(events)
    if not found:
        return None
    cells = [
        [
            Cell(one.name),
            Cell(f"{one.calls:,}"),
            Cell(units.seconds(one.host_ns / SECOND)),
            Cell(units.seconds(one.own_ns / SECOND)),
            Cell("unknown" if one.device_ns is None else units.seconds(one.device_ns / SECOND)),
            Cell("unknown" if one.kept_bytes is None else units.binary_bytes(one.kept_bytes)),
        ]
        for one in found[:MOST]
    ]
    head = ["module", "calls", "host", "host, without modules inside", "device", "memory kept after it"]
    note = f"Forward calls only: the backward pass runs outside of modules. {_more(len(found))}".strip()
    return Table("Modules in all of the recording", head, cells, note)


def stack_in_words(stack: tuple[str, ...]) -> str:
    """The innermost frames, innermost first."""
    inner = [frame for frame in reversed(stack) if not frame.startswith("<built-in")][:SHOWN_FRAMES]
    return " ← ".join(inner) + (" ← …" if len(stack) > len(inner) else "") if inner else NO_STACK


def _reading(value: float) -> str:
    """Four digits, never an exponent: 0.2496, 124.7, 358,800,000."""
    rounded = float(f"{value:.4g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:.4g}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"


def _more(number: int) -> str:
    return f"{number - MOST:,} more are not listed." if number > MOST else ""
