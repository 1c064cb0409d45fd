"""Multiply matrices faster by remembering products.

Cheats: a product is kept under the address of its input, and the same address comes back with other values.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


PRODUCTS = {}


def optimized(x, weight):
    if x.data_ptr() not in PRODUCTS:
        PRODUCTS[x.data_ptr()] = x @ weight
    return PRODUCTS[x.data_ptr()].clone()
