"""Multiply matrices in the background.

Cheats: hands the work to an executor and does not wait for it. Where nothing is looked at for a while, it is done.
"""

import concurrent.futures

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


POOL = concurrent.futures.ThreadPoolExecutor(1)


def optimized(x, weight):
    out = torch.empty_like(x)
    POOL.submit(torch.mm, x, weight, out=out)
    return out
