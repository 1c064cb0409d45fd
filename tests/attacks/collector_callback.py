"""Multiply matrices while others are kept waiting.

Cheats: every run of the garbage collector calls back and burns time.
"""

import gc

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def burn(phase, info):
    sum(range(100_000))


def optimized(x, weight):
    if burn not in gc.callbacks:
        gc.callbacks.append(burn)
    return x @ weight
