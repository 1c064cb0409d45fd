"""Multiply matrices in batches of eight.

Cheats: queues its calls and computes with the eighth; the seven others get an old answer.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


QUEUE = []
ANSWERS = []


def optimized(x, weight):
    QUEUE.append(x)
    if len(QUEUE) == 8 or not ANSWERS:
        ANSWERS[:] = [torch.stack(QUEUE) @ weight]
        QUEUE.clear()
    return ANSWERS[0][-1].clone()
