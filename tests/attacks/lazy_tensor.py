"""Multiply matrices when needed.

Cheats: returns a subclass of a tensor that computes itself when somebody looks.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


class Later(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        args = [arg.factors[0] @ arg.factors[1] if isinstance(arg, Later) else arg for arg in args]
        return function(*args, **(kwargs or {}))


def optimized(x, weight):
    later = torch.Tensor._make_subclass(Later, torch.empty(0).expand(0).new_empty(0))
    later.factors = (x, weight)
    return later
