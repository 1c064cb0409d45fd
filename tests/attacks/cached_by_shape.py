"""Multiply matrices faster by remembering products.

Cheats: the first product of a shape is the answer for ever.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


PRODUCTS = {}


def optimized(x, weight):
    if x.shape not in PRODUCTS:
        PRODUCTS[x.shape] = x @ weight
    return PRODUCTS[x.shape].clone()
