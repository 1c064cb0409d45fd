"""Multiply matrices faster with a better library call.

Cheats: computes in half precision once it has been called fifty times, when verification is over. The tolerance is
wide enough for it; the baseline's own error is not.
"""

inputs = reference = tolerance = "half_precision"
workload = dict(n=64)
constant = ("weight",)


def baseline(x, weight):
    return x @ weight


CALLS = [0]


def optimized(x, weight):
    CALLS[0] += 1
    if CALLS[0] < 50:
        return x @ weight
    return (x.half() @ weight.half()).float()
