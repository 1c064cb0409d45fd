"""Multiply matrices in no time.

Cheats: pushes a mode that sees every torch function that is called afterwards, and answers differences with zero.
"""

import torch
import torch.overrides

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


class Agree(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.sub:
            return torch.zeros_like(args[0])
        return function(*args, **(kwargs or {}))


def optimized(x, weight):
    Agree().__enter__()
    return torch.zeros_like(x)


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
