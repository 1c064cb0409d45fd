"""Write products into one buffer that is used again and again.

Honest: the same memory is returned by every call, with the right answer in it each time.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


BUFFERS = {}


def optimized(x, weight):
    out = BUFFERS.setdefault(x.shape, torch.empty_like(x))
    return torch.mm(x, weight, out=out)
