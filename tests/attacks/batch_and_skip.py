"""Multiply matrices in batches of eight.

Cheats: queues its calls and computes with the eighth; the seven others get an old answer.
"""

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


QUEUE = []
ANSWERS = []


def optimized(x, weight):
    QUEUE.append(x)
    if len(QUEUE) == 8 or not ANSWERS:
        ANSWERS[:] = [torch.stack(QUEUE) @ weight]
        QUEUE.clear()
    return ANSWERS[0][-1].clone()


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
