"""The memory story as a trace in Chrome's format: a counter of live bytes and every allocation, for Perfetto."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from perfproof.core.units import binary_bytes
from perfproof.profile.allocations import Allocation
from perfproof.profile.memory_story import MemoryStory

MOST = 20_000  # of the largest allocations of a device; a viewer is slow beyond
NO_STACK = "no stack was recorded"


def chrome_trace(stories: Sequence[MemoryStory], allocations: Sequence[Allocation]) -> str:
    """Times count from the first reading. Allocations overlap freely, so each is an asynchronous event of its own."""
    start = min((story.times_ns[0] for story in stories if len(story.times_ns)), default=0)
    rows: list[dict[str, Any]] = []
    left_out = 0
    for process, story in enumerate(stories, start=1):
        own = [one for one in allocations if one.device == story.device]
        drawn = sorted(own, key=lambda one: -one.bytes)[:MOST]
        left_out += len(own) - len(drawn)
        rows.append({"ph": "M", "name": "process_name", "pid": process, "args": {"name": f"{story.device} memory"}})
        rows += _counter(story, process, start)
        rows += _steps(story, process, start)
        rows += _allocations(drawn, process, start)
    about = {"allocations left out": left_out, "largest drawn of each device": MOST}
    return json.dumps({"traceEvents": rows, "displayTimeUnit": "ms", "otherData": about}, separators=(",", ":")) + "\n"


def _counter(story: MemoryStory, process: int, start: int) -> Iterator[dict[str, Any]]:
    for time, live in zip(story.times_ns, story.live_bytes, strict=True):
        yield {
            "ph": "C",
            "name": f"{story.device} live",
            "pid": process,
            "ts": _us(time - start),
            "args": {"bytes": live},
        }


def _steps(story: MemoryStory, process: int, start: int) -> Iterator[dict[str, Any]]:
    for number, (begin, end) in enumerate(story.steps):
        times = {"ts": _us(begin - start), "dur": _us(end - begin)}
        yield {"ph": "X", "cat": "user_annotation", "name": f"step {number}", "pid": process, "tid": 0, **times}


def _allocations(drawn: Sequence[Allocation], process: int, start: int) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(drawn):
        what = one.stack[-1] if one.stack else NO_STACK
        same = {"cat": "allocation", "id": f"{process}.{number}", "pid": process, "tid": 1}
        same["name"] = f"{binary_bytes(one.bytes)} {what}"
        args = {"bytes": one.bytes, "stack": list(one.stack), "released": one.released}
        yield {"ph": "b", **same, "ts": _us(one.start_ns - start), "args": args}
        yield {"ph": "e", **same, "ts": _us(one.end_ns - start)}


def _us(nanoseconds: int) -> float:
    return nanoseconds / 1000
