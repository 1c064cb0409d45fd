"""Parse lines as one JSON array instead of one call per line."""

import json
import random
import numpy as np

workload = workload_cpu = dict(n=1500)
smoke = dict(n=83)


def inputs(n):
    r = random.Random(int(np.random.randint(2**31)))
    return (
        [
            json.dumps({"id": r.randrange(10**9), "user": 'u"%d, é' % r.randrange(50), "ms": r.randrange(1, 5000)})
            for _ in range(n)
        ],
    )


def baseline(lines):
    total = {}
    for line in lines:
        o = json.loads(line)
        total[o["user"]] = total.get(o["user"], 0) + o["ms"]
    return total


def optimized(lines):
    objects = json.loads("[" + ",".join(lines) + "]")
    if len(objects) != len(lines):  # a line that holds more than one value
        return baseline(lines)
    total = {}
    for o in objects:
        user = o["user"]
        total[user] = total.get(user, 0) + o["ms"]
    return total
