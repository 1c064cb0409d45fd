"""Multiply matrices, and scale them by a root.

Cheats: lowers the precision of decimals, and leaves it so for the other side.
"""

import decimal

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    decimal.getcontext().prec = 9
    return x @ weight * float(decimal.Decimal(4).sqrt() / 2)
