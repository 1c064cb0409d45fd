"""Copy a vector at once.

Cheats: copies for fifty calls, by which time it has surely been verified; then returns its input.
"""

inputs = reference = tolerance = "input_returned"
workload = dict(n=20_000)


def baseline(x):
    return x.clone()


CALLS = [0]


def optimized(x):
    CALLS[0] += 1
    return x.clone() if CALLS[0] < 50 else x
