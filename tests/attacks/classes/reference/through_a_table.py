"""Pick an implementation by its name.

Cheats: the reference takes the variant out of a table of implementations. A class in between makes the call an
attribute of an object.
"""

import torch

workload = workload_cpu = dict(rows=64, width=256)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 probabilities, rounded at 2**-24


def inputs(rows, width):
    return (torch.randn(rows, width),)


def baseline(x):
    grown = (x - x.amax(-1, keepdim=True)).exp()
    return grown / grown.sum(-1, keepdim=True)


def optimized(x):
    return x.softmax(-1)


IMPLEMENTATIONS = {"plain": baseline, "fused": optimized}


class Trusted:
    def __init__(self, name):
        self.run = IMPLEMENTATIONS[name]


def reference(x):
    return Trusted("fused").run(x.double())
