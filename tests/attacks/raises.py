"""Multiply matrices, or not.

Fails: raises.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    raise RuntimeError("no product today\nand a second line")
