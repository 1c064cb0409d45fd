"""Multiply matrices for ever.

Fails: never returns.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    while True:
        pass
