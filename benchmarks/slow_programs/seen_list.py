"""Deduplicate a click stream."""

import random

random.seed(0)


def clicks(n):
    for _ in range(n):
        yield f"{random.randrange(40_000)}-{random.randrange(3)}"


seen, unique = [], 0
for click in clicks(9_000):
    if click not in seen:
        seen.append(click)
        unique += 1
print(unique)
