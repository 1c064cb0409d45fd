"""Count primes with a multiprocessing pool."""

import multiprocessing
import random


def primes(span):
    lo, hi = span
    return sum(all(n % d for d in range(2, int(n**0.5) + 1)) for n in range(max(lo, 2), hi))


def inputs():
    return ([(a, a + 400) for a in (random.randrange(10_000) for _ in range(4))],)


def baseline(spans):
    return [primes(s) for s in spans]


def optimized(spans):
    with multiprocessing.Pool(2) as pool:
        return pool.map(primes, spans)
