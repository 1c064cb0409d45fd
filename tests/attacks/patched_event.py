"""Multiply matrices in less time.

Cheats: device events that measure nothing, and a synchronisation that does not wait.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


class Event(torch.cuda.Event):
    def elapsed_time(self, end):
        return 1e-3


def optimized(x, weight):
    torch.cuda.Event = Event
    torch.cuda.synchronize = lambda device=None: None
    return x @ weight
