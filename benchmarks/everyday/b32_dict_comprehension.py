"""Keep the first value of each key with a dictionary comprehension over the reversed list, not with setdefault.

setdefault looks up and calls a method for every pair. In a comprehension the last value wins, so over the reversed list
it is the first that stays, and storing is one instruction without a call.
"""

import random

workload = workload_cpu = dict(pairs=20_000, keys=500)
smoke = dict(pairs=31, keys=7)
tolerance = dict(rtol=0.0, atol=0.0)  # values are chosen, nothing is rounded
tier = "idiomatic"


def inputs(pairs, keys):
    return ([(f"key{random.randrange(keys)}", random.random()) for _ in range(pairs)],)


def reference(pairs):
    first = {}
    for wanted in sorted({key for key, _ in pairs}):
        for key, value in pairs:
            if key == wanted:
                first[wanted] = value
                break
    return first


def baseline(pairs):
    first = {}
    for key, value in pairs:
        first.setdefault(key, value)
    return first


def optimized(pairs):
    return {key: value for key, value in reversed(pairs)}  # noqa: C416


def cost(pairs, keys):
    return dict(bytes=16 * pairs, samples=pairs, predicted_optimized=1.3)
