"""Running mean and variance kept in a dataclass: one value at a time against a merged batch."""

from dataclasses import dataclass
import numpy as np

mutates = ["stats"]


@dataclass
class Stats:
    n: int
    mean: np.ndarray
    m2: np.ndarray


def inputs():
    first = np.random.randn(50, 8)
    return Stats(50, first.mean(0), first.var(0) * 50), np.random.randn(200, 8)


def baseline(stats, batch):
    for row in batch:
        stats.n += 1
        d = row - stats.mean
        stats.mean += d / stats.n
        stats.m2 += d * (row - stats.mean)


def optimized(stats, batch):
    m, k = batch.mean(0), len(batch)
    d = m - stats.mean
    total = stats.n + k
    stats.m2 += batch.var(0) * k + d * d * stats.n * k / total
    stats.mean += d * k / total
    stats.n = total
