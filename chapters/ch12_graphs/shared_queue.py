"""Let workers take the next piece from a queue if pieces differ in length, instead of giving each a fixed share.

Two workers sort recordings that are ordered by length, as files of a folder may be. With half of the list each, the
second worker has three quarters of the work, and the first is idle for two thirds of the time. From a queue a worker
takes the next piece when it is done with one, the longest first, so both end together. It is `work_queue` on the host.
Pieces and sorting are the same.
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
