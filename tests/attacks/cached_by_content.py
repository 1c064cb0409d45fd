"""Multiply matrices faster by remembering products.

Cheats: a product is kept under a hash of all of its input, so the answer is right whenever values come back. There
is nothing wrong to find in an answer; it must simply not pay.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


PRODUCTS = {}


def optimized(x, weight):
    key = hash(x.numpy().tobytes())
    if key not in PRODUCTS:
        PRODUCTS[key] = x @ weight
    return PRODUCTS[key].clone()
