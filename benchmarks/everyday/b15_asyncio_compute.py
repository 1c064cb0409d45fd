"""Compute in a plain loop; asyncio.gather makes nothing faster that does not wait.

An event loop runs on one thread. Coroutines that never await anything run one after the other, as in a loop, and each
also pays for a task, its scheduling and a future; the call pays for a fresh event loop with its selector and sockets.
"""

import asyncio
import math
import random

workload = workload_cpu = dict(rows=200, length=50)
smoke = dict(rows=5, length=7)
tolerance = dict(rtol=1e-12, atol=0.0)  # a double sum of 50 squares, none negative
tier = "naive"


def inputs(rows, length):
    return ([[random.gauss(0.0, 1.0) for _ in range(length)] for _ in range(rows)],)


def norm(row):
    total = 0.0
    for value in row:
        total += value * value
    return math.sqrt(total)


async def norm_later(row):
    return norm(row)


async def all_norms(rows):
    return await asyncio.gather(*(norm_later(row) for row in rows))


def reference(rows):
    return [math.sqrt(math.fsum(value * value for value in row)) for row in rows]


def baseline(rows):
    return asyncio.run(all_norms(rows))


def optimized(rows):
    return [norm(row) for row in rows]


def cost(rows, length):
    return dict(flops=2 * rows * length, bytes=8 * rows * length)
