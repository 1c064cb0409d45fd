"""Multiply matrices that were packed beforehand.

Cheats: the preparation computes the product, and the call returns it.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def prepare_optimized(x, weight):
    return x @ weight


def optimized(answer, x, weight):
    return answer.clone()
