"""Find the learning-rate milestone with bisect instead of a scan."""

import random
from bisect import bisect_right

MILESTONES = [1000, 2000, 5000, 10000, 20000, 50000, 80000, 120000]


def inputs():
    return random.randrange(150000)


def baseline(step):
    n = 0
    for m in MILESTONES:
        if step >= m:
            n += 1
    return 0.1 * 0.5**n


def optimized(step):
    return 0.1 * 0.5 ** bisect_right(MILESTONES, step)
