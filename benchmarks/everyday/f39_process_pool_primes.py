import multiprocessing
import random

workload = dict(span=60_000)


def inputs(span):
    low = random.randrange(1_000_000, 2_000_000)
    return low, low + span


def count(low, high):
    found = 0
    for n in range(low | 1, high, 2):
        d = 3
        while d * d <= n:
            if n % d == 0:
                break
            d += 2
        else:
            found += 1
    return found


def baseline(low, high):
    return count(low, high)


def optimized(low, high):
    step = (high - low + 7) // 8
    parts = [(start, min(start + step, high)) for start in range(low, high, step)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return sum(pool.starmap(count, parts))
