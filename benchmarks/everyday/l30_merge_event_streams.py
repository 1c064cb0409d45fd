"""Merge sorted event streams: timsort finds the runs, heapq.merge compares in Python-level steps."""

import heapq
import random
from itertools import chain
from operator import itemgetter
from typing import Iterator, NamedTuple


class Event(NamedTuple):
    at: int  # microseconds
    host: str
    kind: str


workload = dict(hosts=12, events=250)
smoke = dict(hosts=3, events=5)


def inputs(hosts, events):
    streams = []
    for h in range(hosts):
        times = sorted(random.randrange(10_000_000) for _ in range(random.randint(0, 2 * events)))
        streams.append([Event(t, f"web-{h:02d}", random.choice(("start", "stop", "error"))) for t in times])
    return streams


def baseline(streams) -> Iterator[tuple[int, Event]]:
    before = None
    for event in heapq.merge(*streams, key=lambda e: e.at):
        yield (0 if before is None else event.at - before), event
        before = event.at


def optimized(streams) -> Iterator[tuple[int, Event]]:
    before = None
    for event in sorted(chain.from_iterable(streams), key=itemgetter(0)):
        yield (0 if before is None else event.at - before), event
        before = event.at
