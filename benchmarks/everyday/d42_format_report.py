"""Build a text report: += against join and f-strings."""

import random
import time


def inputs():
    return ([(f"item{i}", random.randrange(1000), random.uniform(0, 99)) for i in range(500)],)


def baseline(rows):
    t = time.time()
    s = ""
    for name, n, price in rows:
        s += "%-12s %6d %10.2f\n" % (name, n, price)
    print(f"took {time.time() - t:.4f}")
    return s


def optimized(rows):
    t = time.time()
    s = "".join([f"{name:<12} {n:6d} {price:10.2f}\n" for name, n, price in rows])
    print(f"took {time.time() - t:.4f}")
    return s
