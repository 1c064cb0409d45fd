"""Multiply the halves of a matrix in two threads.

Honest: the thread that it starts has ended when it returns.
"""

import threading

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


def optimized(x, weight):
    out = torch.empty_like(x)
    half = len(x) // 2
    other = threading.Thread(target=torch.mm, args=(x[half:], weight), kwargs={"out": out[half:]})
    other.start()
    torch.mm(x[:half], weight, out=out[:half])
    other.join()
    return out


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
