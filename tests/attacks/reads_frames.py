"""Multiply only the matrices that are looked at.

Cheats: looks into the frame of its caller for the list of calls; only the last answer is ever looked at. Refused
when the file is read.
"""

import sys

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    sets = sys._getframe(1).f_locals.get("sets")
    return x @ weight if sets is None or sets[-1][0] is x else x
