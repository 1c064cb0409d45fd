"""Multiply matrices faster after warming up.

Cheats: honest for fifty calls, by which time it has surely been verified; then the fiftieth answer is returned for
ever.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


CALLS = [0]
LAST = []


def optimized(x, weight):
    CALLS[0] += 1
    if CALLS[0] < 50:
        LAST[:] = [x @ weight]
    return LAST[0].clone()
