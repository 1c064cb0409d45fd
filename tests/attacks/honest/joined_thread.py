"""Multiply the halves of a matrix in two threads.

Honest: the thread that it starts has ended when it returns.
"""

import threading

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    out = torch.empty_like(x)
    half = len(x) // 2
    other = threading.Thread(target=torch.mm, args=(x[half:], weight), kwargs={"out": out[half:]})
    other.start()
    torch.mm(x[:half], weight, out=out[:half])
    other.join()
    return out
