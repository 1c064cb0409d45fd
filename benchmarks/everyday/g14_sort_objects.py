"""Sort slotted records by two keys with attrgetter instead of a comparison function."""

import random
from dataclasses import dataclass
from functools import cmp_to_key
from operator import attrgetter


@dataclass(slots=True, frozen=True)
class Job:
    priority: int
    created: float
    name: str


def inputs():
    return [Job(random.randrange(5), random.random(), f"job-{random.randrange(10**6)}") for _ in range(800)]


def compare(a, b):
    if a.priority != b.priority:
        return a.priority - b.priority
    return (a.created > b.created) - (a.created < b.created)


def baseline(jobs):
    return sorted(jobs, key=cmp_to_key(compare))


def optimized(jobs):
    return sorted(jobs, key=attrgetter("priority", "created"))
