"""Copy a vector at once.

Cheats: returns a view of its input, which is no copy.
"""

inputs = reference = tolerance = "input_returned"
workload = dict(n=20_000)


def baseline(x):
    return x.clone()


def optimized(x):
    return x.view(-1)
