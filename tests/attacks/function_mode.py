"""Multiply matrices in no time.

Cheats: pushes a mode that sees every torch function that is called afterwards, and answers differences with zero.
"""

import torch
import torch.overrides

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


class Agree(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.sub:
            return torch.zeros_like(args[0])
        return function(*args, **(kwargs or {}))


def optimized(x, weight):
    Agree().__enter__()
    return torch.zeros_like(x)
