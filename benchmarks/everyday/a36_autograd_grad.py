"""Take the gradient of a small loss with autograd.grad: torch.func.grad costs a transform per call.

torch.func.grad wraps the arguments, enters a level of its interpreter and unwraps the result, some tens of
microseconds. It composes with vmap and autograd.grad does not; for a plain gradient of a small loss that is all it
buys. The arithmetic is equal, so large losses show no difference.
"""

import torch

workload = dict(rows=256, width=256)
workload_cpu = dict(rows=32, width=32)
smoke = dict(rows=5, width=7)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums over up to 256 rows, gradients near 0.3
tier = "idiomatic"


def loss(weight, x, target):
    return (torch.tanh(x @ weight) - target).square().mean()


def inputs(rows, width):
    return torch.randn(width) / width**0.5, torch.randn(rows, width), torch.randn(rows)


def reference(weight, x, target):
    weight, x, target = weight.double(), x.double(), target.double()
    predicted = torch.tanh(x @ weight)
    return x.T @ (2 * (predicted - target) * (1 - predicted**2)) / len(x)


def baseline(weight, x, target):
    return torch.func.grad(loss)(weight, x, target)


def optimized(weight, x, target):
    weight = weight.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(weight, x, target), weight)
    return gradient


def cost(rows, width):
    return dict(flops=4 * rows * width, bytes=8 * rows * width)
