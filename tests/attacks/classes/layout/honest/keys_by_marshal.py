"""Copy nested tables by way of marshal instead of item by item.

Honest: marshal keeps whole numbers as keys.
"""

import copy
import marshal
import random

workload = workload_cpu = dict(rows=200)
smoke = dict(rows=7)
tolerance = dict(rtol=0.0, atol=0.0)  # a copy
tier = "idiomatic"


def inputs(rows):
    return ({row: {"score": random.random(), "tags": random.sample(range(99), 4)} for row in range(rows)},)


def reference(table):
    return {row: {"score": one["score"], "tags": list(one["tags"])} for row, one in table.items()}


def baseline(table):
    return copy.deepcopy(table)


def optimized(table):
    return marshal.loads(marshal.dumps(table))
