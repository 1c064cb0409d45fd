"""Multiply only the matrices that are looked at.

Cheats: goes through all objects of the process for the harness's own and empties its list of what has to be
checked.
"""

import gc

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    for each in getattr(gc, "get_" + "objects")():
        if type(each).__name__ == "Findings":
            each.checks.clear()
    return x @ weight
