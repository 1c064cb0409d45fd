"""Flatten a log of events into one list."""

import random

rng = random.Random(0)


def events(n):
    for i in range(n):
        yield {"user": rng.randrange(1000), "at": i, "kind": rng.choice("abc")}


def flatten(stream):
    rows = []
    for event in stream:
        rows = rows + [(event["user"], event["at"], event["kind"])]
    return rows


total = 0
for day in range(6):
    rows = flatten(events(9_000))
    total += len(rows)
    print(day, total)
