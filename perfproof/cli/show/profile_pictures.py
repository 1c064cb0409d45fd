"""The pictures of profiles: for the page of one file (`view`), under the findings of several (`diagnose --html`)."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events
from perfproof.profile.allocations import recorded_in
from perfproof.profile.compile_log import read_compile_log
from perfproof.profile.memory_story import MemoryStory, memory_stories
from perfproof.profile.weighed_stacks import Stacks, stacks_of
from perfproof.report.html import profile
from perfproof.report.html.profile import Fragment

MOST_FILES = 4  # with pictures on one page: of many ranks the first tell enough


def pictures_of(events: Events, stories: Sequence[MemoryStory], stacks: Stacks, mark: str = "") -> list[Fragment]:
    """What one table shows: the step, memory, the flame graph, readings. `mark` keeps the names of two tables apart."""
    found = [
        profile.timeline_fragment(events, f"step{mark}"),
        profile.modules_fragment(events, f"modules{mark}"),
        *profile.memory_fragments(stories, f"memory{mark}"),
        profile.flame_fragment(stacks, f"flame{mark}"),
        profile.readings_fragment(events, f"readings{mark}"),
        profile.counters_fragment(events, f"counters{mark}"),
    ]
    return [one for one in found if one is not None]


def pictures_of_all(tables: Sequence[tuple[str, Events]], logs: dict[str, str]) -> list[Fragment]:
    """Of several files, each heading with its file's name where there are more than one."""
    named = len(tables) + len(logs) > 1
    found: list[Fragment] = []
    for number, (path, events) in enumerate(tables[:MOST_FILES], start=1):
        own = pictures_of(events, memory_stories(recorded_in(events), events), stacks_of(events), str(number))
        found += _named(own, path) if named else own
    for number, (path, text) in enumerate(logs.items(), start=1):
        with suppress(DocumentError):  # a text that only looked like a log: the rules said so
            own = [profile.compile_fragment(read_compile_log(text), f"compiler{number}")]
            found += _named(own, path) if named else own
    return found


def _named(fragments: Iterable[Fragment], path: str) -> list[Fragment]:
    return [replace(one, heading=f"{one.heading}: {Path(path).name}") for one in fragments]
