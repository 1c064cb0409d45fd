"""Take several statistics of a large array block by block, so that memory is read once.

Three reductions over the whole array read it three times from memory, since it is larger than the cache. Over blocks of
a few rows the second and third reduction find the block in the cache: one pass instead of three.
"""

from dataclasses import dataclass

import numpy as np

BLOCK = 8  # rows: 512 KB, about the size of an L2 cache


@dataclass
class Stats:
    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray


workload = dict(rows=4_096, cols=16_384)
workload_cpu = dict(rows=512, cols=16_384)  # 32 MB
smoke = dict(rows=11, cols=77)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a float32 mean of 16,384 values near 1, added in pairs; low and high are exact
tier = "idiomatic"


def inputs(rows, cols):
    return (np.random.standard_normal((rows, cols)).astype(np.float32),)


def reference(x):
    low = np.array([row.astype(np.float64).min() for row in x])
    high = np.array([row.astype(np.float64).max() for row in x])
    mean = np.array([row.astype(np.float64).sum() / len(row) for row in x])
    return Stats(low, high, mean)


def baseline(x):
    return Stats(low=x.min(axis=1), high=x.max(axis=1), mean=x.mean(axis=1))


def optimized(x):
    out = Stats(*(np.empty(len(x), dtype=x.dtype) for _ in range(3)))
    for start in range(0, len(x), BLOCK):
        rows = slice(start, start + BLOCK)
        block = x[rows]
        block.min(axis=1, out=out.low[rows])
        block.max(axis=1, out=out.high[rows])
        block.mean(axis=1, out=out.mean[rows])
    return out


def cost(rows, cols):
    once = 4 * rows * cols
    return dict(flops=3 * rows * cols, bytes=once, baseline_bytes=3 * once, optimized_bytes=once)
