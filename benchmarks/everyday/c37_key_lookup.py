"""Map string keys to integers with a dict, not with a sorted list and bisect.

bisect compares strings along a path of 14 steps for 10,000 keys, each in another cache line. A dict hashes the string
once and looks at about one slot. The keys stay the same, so both tables are made beforehand. Unknown keys give -1.
"""

import bisect
import random

workload = workload_cpu = dict(keys=10_000, queries=2_000)
smoke = dict(keys=40, queries=23)
constant = ["keys"]
tolerance = dict(rtol=0.0, atol=0.0)  # whole numbers
tier = "idiomatic"


def inputs(keys, queries):
    names = [f"user:{number:09d}" for number in random.sample(range(10**9), keys)]
    asked = [random.choice(names) if random.random() < 0.9 else "user:unknown" for _ in range(queries)]
    return names, asked


def reference(keys, asked):
    return [keys.index(name) if name in keys else -1 for name in asked]


def prepare_baseline(keys, asked):
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [keys[number] for number in order], order


def baseline(table, keys, asked):
    names, numbers = table
    found = []
    for name in asked:
        place = bisect.bisect_left(names, name)
        found.append(numbers[place] if place < len(names) and names[place] == name else -1)
    return found


def prepare_optimized(keys, asked):
    return {name: number for number, name in enumerate(keys)}


def optimized(table, keys, asked):
    return [table.get(name, -1) for name in asked]


def cost(keys, queries):
    return dict(flops=queries, bytes=64 * queries, baseline_flops=queries * keys.bit_length(), optimized_flops=queries)
