"""Multiply matrices faster by remembering products.

Cheats: a product is kept under four elements of its input; what else changed is not looked at.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


PRODUCTS = {}


def optimized(x, weight):
    key = (x.data_ptr(), *x[::43, 0].tolist())
    if key not in PRODUCTS:
        PRODUCTS[key] = x @ weight
    return PRODUCTS[key].clone()
