"""Simulate an LRU cache with an OrderedDict, not with a list of keys and a list of times.

With two lists each access searches the keys, and each eviction searches the times: both as long as the cache. The
OrderedDict finds a key, moves it to the end and drops the oldest at a cost that does not grow with the cache.
"""

from collections import OrderedDict

import torch

workload = workload_cpu = dict(accesses=4_000, keys=1_000, capacity=100)
smoke = dict(accesses=60, keys=20, capacity=5)
tolerance = dict(rtol=0.0, atol=0.0)  # counts and keys
tier = "naive"


def inputs(accesses, keys, capacity):
    popularity = 1.0 / torch.arange(1, keys + 1)  # Zipf: a few keys get most of the accesses
    return torch.multinomial(popularity, accesses, replacement=True).tolist(), capacity


def reference(trace, capacity):
    hits = 0
    for at, key in enumerate(trace):
        before = [place for place in range(at) if trace[place] == key][-1:]
        hits += bool(before) and len(set(trace[before[0] + 1 : at])) < capacity  # distinct keys since the last access
    last = {key: at for at, key in enumerate(trace)}
    return hits, sorted(last, key=last.get)[max(len(last) - capacity, 0) :]


def baseline(trace, capacity):
    keys, times, hits = [], [], 0
    for now, key in enumerate(trace):
        if key in keys:
            times[keys.index(key)] = now
            hits += 1
        else:
            keys.append(key)
            times.append(now)
            if len(keys) > capacity:
                oldest = times.index(min(times))
                del keys[oldest], times[oldest]
    return hits, [key for _, key in sorted(zip(times, keys, strict=True))]


def optimized(trace, capacity):
    cache, hits = OrderedDict(), 0
    for key in trace:
        if key in cache:
            cache.move_to_end(key)
            hits += 1
        else:
            cache[key] = None
            if len(cache) > capacity:
                cache.popitem(last=False)
    return hits, list(cache)


def cost(accesses, keys, capacity):
    return dict(
        flops=accesses, bytes=8 * accesses, baseline_flops=2 * accesses * capacity, optimized_flops=2 * accesses
    )
