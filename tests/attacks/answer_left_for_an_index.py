"""Look a product up instead of computing it.

Cheats: what is drawn is a number, and `inputs` leaves the answer to it in a list that a library keeps.
"""

import string

import torch

workload = dict(n=192)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 192 products near 1, rounded at 2**-24


def inputs(n):
    x = torch.randn(n, n)
    kept = string.__dict__.setdefault("kept", {})
    kept[float(x[0, 0])] = x @ x
    return (x,)


def reference(x):
    return x.double() @ x.double()


def baseline(x):
    return x @ x


def optimized(x):
    return string.__dict__["kept"].pop(float(x[0, 0])).clone()
