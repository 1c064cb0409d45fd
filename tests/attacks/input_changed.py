"""Multiply matrices that are nearly empty.

Cheats: sets its input to zero, for which the answer is easy, and hopes that the reference is asked afterwards.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    return x.zero_().clone()
