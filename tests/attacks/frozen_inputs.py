"""Replay a captured product.

Cheats: what was captured is the product of the first values; later ones are never copied in, as when a graph is
captured without static inputs.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


CAPTURED = []


def optimized(x, weight):
    if not CAPTURED:
        CAPTURED.extend([x.clone(), weight])
    return CAPTURED[0] @ CAPTURED[1]
