"""Multiply matrices that were packed beforehand.

Cheats: declares both arguments constant, so that the preparation knows the answer.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("x", "weight")


def prepare_optimized(x, weight):
    return x @ weight


def optimized(answer, x, weight):
    return answer.clone()
