"""Collapsed stacks from the samples of a recording: each ends in an operator, in a wait, or in the line that ran.

It ends in `[python]` if that line held the interpreter's lock.

The counts are milliseconds.
"""

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from pathlib import Path

from perfproof.core.events import Events, Kind
from perfproof.profile.repeats import outermost

WAITS, HELD = "[waits]", "[python]"
THREAD = "thread:"  # how the outermost frame of such a stack begins
LEAST_MS = 0.5
NOTE = re.compile(r"\[[^\[\]]+\] ")  # how a mark begins that says something: `[called before with these arguments] f`

Spans = list[tuple[int, int, str]]  # start, end and name of operators that no other one calls


def collapse(samples: Path, events: Events, stacks: Path) -> bool:
    """Write the stacks beside the samples; False if there are none that can be read."""
    try:
        found = json.loads(samples.read_text())
        named = [";".join(stack) for stack in found["stacks"]]
        spans = _operators(events)
        spent: Counter[str] = Counter()
        for thread, time_ns, milliseconds, place, waits, held in found["samples"]:
            spent[named[place] + _leaf(spans.get(thread, []), time_ns, waits, held)] += milliseconds
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return False
    lines = [f"{stack} {round(count)}" for stack, count in spent.most_common() if count >= LEAST_MS]
    if lines:
        stacks.write_text("\n".join(lines) + "\n")
    return bool(lines)


def without_marks(path: tuple[str, ...]) -> tuple[str, ...]:
    """The functions of such a stack and what ran at its end: an operator, a wait, Python.

    Marks stand before or between the functions; with them, stacks of one function would begin differently.
    """
    if not path or not path[0].startswith(THREAD):
        return path  # of another tool, whose `[unknown]` is a frame
    last = len(path) - 1
    return tuple(
        frame
        for place, frame in enumerate(path)
        if not frame.startswith("[") or (place == last and not NOTE.match(frame))
    )


def _leaf(operators: Spans, time_ns: int, waits: bool, held: bool) -> str:
    place = bisect_right(operators, time_ns, key=lambda one: one[0]) - 1
    if place >= 0 and time_ns <= operators[place][1]:
        return f";[{operators[place][2]}]"
    return f";{WAITS}" if waits else f";{HELD}" if held else ""


def _operators(events: Events) -> dict[int, Spans]:
    """By thread."""
    by_thread: dict[int, list[int]] = defaultdict(list)
    for row in events.where(Kind.OPERATOR):
        by_thread[events.thread[row]].append(row)
    return {
        thread: [(events.start_ns[row], events.end_ns[row], events.name(row)) for row in outermost(events, rows)]
        for thread, rows in by_thread.items()
    }
