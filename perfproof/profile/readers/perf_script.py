"""Samples that `perf script` prints: a line about the sample, then its frames, innermost first, then an empty line."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from string import hexdigits
from typing import NamedTuple

from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT, Events, Kind, Total
from perfproof.profile.text_lines import lines_of

SAMPLE = re.compile(
    r"(?P<command>\S.*?)\s+(?P<pid>\d{1,9})(?:/(?P<tid>\d{1,9}))?\s+(?:\[\d+\]\s+)?(?P<seconds>\d{1,9})\.(?P<part>\d{6,9}):"
    r"\s+(?:(?P<period>\d{1,18})\s+)?(?P<event>\S+?):?\s*$"
)
LONGEST = 400  # of a line about a sample: the name of a command has 15 characters
OFFSET = re.compile(r"\+0x[0-9a-f]{1,16}$")
LARGEST = 2 * 2**30  # bytes of text, unpacked
MOST_FRAMES = 65_535  # of a sample: perf records 127 unless it is told otherwise
DELETED = " (deleted))"  # of a library that was replaced while it was in use


class Sample(NamedTuple):
    process: int
    thread: int
    time_ns: int
    event: str
    stack: tuple[str, ...]  # outermost first


@dataclass
class Strange:
    """Lines of no known form."""

    count: int = 0
    first: int = 0

    def add(self, number: int) -> None:
        self.count, self.first = self.count + 1, self.first or number


def recognises(path: Path, head: bytes) -> bool:
    lines = head.decode("utf-8", errors="replace").splitlines()
    told = [line for line in lines[:100] if line.strip() and not line.startswith("#")]
    return bool(told) and SAMPLE.match(told[0][:LONGEST]) is not None


def read(path: Path) -> Events:
    events = Events("perf script")
    counts: dict[str, Counter[tuple[str, ...]]] = {}  # by event
    strange = Strange()
    for sample in _samples(lines_of(path, LARGEST), strange, path):
        counts.setdefault(sample.event, Counter())[sample.stack] += 1
        events.add(
            Kind.SAMPLE,
            sample.stack[-1],
            sample.time_ns,
            sample.time_ns,
            thread=sample.thread,
            process=sample.process,
            args={"stack": sample.stack, "event": sample.event},
        )
    if not counts:
        raise DocumentError(f"{path}: holds no sample of perf")
    for event, own in counts.items():  # samples of two events do not add up: each has a root of its own
        root = (event,) if len(counts) > 1 else ()
        events.totals += [Total((*root, *stack), {"samples": float(count)}) for stack, count in own.items()]
    events.about["samples"] = {event: own.total() for event, own in counts.items()}
    events.about["clock"] = "perf's own, CLOCK_MONOTONIC unless -k chose another"
    if strange.count:
        events.warnings.append(
            f"{strange.count} lines are of no known form and were left out, the first is {strange.first}"
        )
    return events


def _samples(lines: Iterable[str], strange: Strange, path: Path) -> Iterator[Sample]:
    begun: re.Match[str] | None = None
    frames: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            if begun is not None:
                yield _sample(begun, frames)
            begun = None
        elif line.startswith("#"):
            continue
        elif begun is not None and (frame := _frame(line)):
            if len(frames) == MOST_FRAMES:
                raise DocumentError(
                    f"{path}, line {number}: a sample of more than {MOST_FRAMES:,} frames is none of perf"
                )
            frames.append(frame)
        elif found := SAMPLE.match(line[:LONGEST]):
            if begun is not None:  # samples without stacks follow each other
                yield _sample(begun, frames)
            begun, frames = found, []
        else:
            strange.add(number)
    if begun is not None:
        yield _sample(begun, frames)


def _frame(line: str) -> str | None:
    """The symbol in `  7f1ad0c58ea0 symbol+0x1f (library)`; None where the line is something else."""
    address, _, rest = line.strip().partition(" ")
    if not line[0].isspace() or not rest or not set(address) <= set(hexdigits):
        return None
    rest = rest.removesuffix(DELETED) + ")" if rest.endswith(DELETED) else rest
    symbol = rest[: rest.rfind(" (")] if rest.endswith(")") and " (" in rest else rest
    return OFFSET.sub("", symbol)


def _sample(found: re.Match[str], frames: list[str]) -> Sample:
    process, thread = int(found["pid"]), found["tid"]
    if thread is None:  # perf prints the thread alone unless asked for both
        process, thread = ABSENT, found["pid"]
    time_ns = int(found["seconds"]) * 10**9 + int(found["part"].ljust(9, "0"))
    stack = (found["command"], *reversed(frames))
    return Sample(process, int(thread), time_ns, found["event"], stack)
