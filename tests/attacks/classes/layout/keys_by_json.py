"""Copy nested tables by way of JSON instead of item by item.

Cheats: JSON has texts for keys. The copy of {1: ...} is {"1": ...}, and looking up 1 in it fails.
"""

import copy
import json
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
    return json.loads(json.dumps(table))
