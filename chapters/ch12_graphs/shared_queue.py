"""Let workers take the next piece from a queue if pieces differ in length, instead of giving each a fixed share.

Two workers sort recordings that are ordered by length, as a folder often is. If the first gets the first half and the
second the rest, the second has three quarters of the work, and the first is idle for two thirds of the time. A queue
hands out one piece at a time, the longest first: who is done takes the next, and both end together. It is the host's
form of `work_queue`. Sorting and pieces are the same.
Predicts: three quarters of the work become one half, 1.5x.
No gain where: pieces have equal lengths, or are so short that taking one costs as much.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

WORKERS = 2

workload = dict(pieces=24, step=1_000)  # the longest has 24,000 values
workload_cpu = dict(pieces=24, step=1_000)
smoke = dict(pieces=5, step=77)  # ragged on purpose: the halves differ by one piece
tolerance = dict(rtol=0.0, atol=0.0)  # a value of the piece itself
tier = "idiomatic"
clock = "latency"
menu = ("both", "host-bound")


def inputs(pieces, step):
    return [np.random.standard_normal(step * (number + 1)) for number in range(pieces)]


def reference(recordings):
    return np.array([np.partition(one, len(one) // 2)[len(one) // 2] for one in recordings])


def middle(recording):
    return np.sort(recording)[len(recording) // 2]  # without Python's lock, so workers run side by side


def prepare_baseline(recordings):
    return ThreadPoolExecutor(WORKERS)


def baseline(workers, recordings):
    half = len(recordings) // WORKERS
    shares = workers.map(lambda share: [middle(one) for one in share], (recordings[:half], recordings[half:]))
    return np.array([value for share in shares for value in share])


def prepare_optimized(recordings):
    return ThreadPoolExecutor(WORKERS)


def optimized(workers, recordings):
    return np.array(list(workers.map(middle, recordings[::-1]))[::-1])


def cost(pieces, step):
    longest = [sum(range(first + 1, last + 1)) for first, last in ((0, pieces // 2), (pieces // 2, pieces))]
    share = max(longest) / sum(longest)
    return dict(predicted_optimized=share * WORKERS if len(os.sched_getaffinity(0)) > 1 else 1.0)
