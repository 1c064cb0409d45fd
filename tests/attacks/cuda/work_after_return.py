"""Multiply matrices and return before it is done.

Cheats: a thread launches the kernel after the function has returned, so that no event and no synchronisation waits for
it.
"""

import threading
import time

import torch

workload = dict(n=1024)
smoke = dict(n=65)
constant = ("weight",)
tolerance = dict(rtol=1e-3, atol=1e-2)  # sums of 1024 products near 1, rounded at 2**-24; half precision would pass
tier = "idiomatic"
needs = dict(cuda=7.0)


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def optimized(x, weight):
    product = torch.empty_like(x)

    def later():
        time.sleep(0.002)
        torch.mm(x, weight, out=product)

    threading.Thread(target=later).start()
    return product


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
