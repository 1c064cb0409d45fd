"""Clip gradients with stacked per-tensor norms and one foreach product, not with a loop.

The loop squares, sums and adds for each tensor, then multiplies each: about four dispatches and a temporary for every
gradient. _foreach_norm and _foreach_mul_ take the whole list at once, and the norm of the norms is the norm of all.
"""

import torch

LIMIT = 1.0

workload = dict(tensors=200, size=65_536)
workload_cpu = dict(tensors=100, size=1_024)
smoke = dict(tensors=3, size=17)
mutates = ["gradients"]
tolerance = dict(rtol=1e-5, atol=1e-8)  # a float32 norm over millions of terms; clipped values near 1e-3
tier = "idiomatic"


def inputs(tensors, size):
    return ([0.1 * torch.randn(size) for _ in range(tensors)],)


def reference(gradients):
    norm = torch.cat([gradient.double().flatten() for gradient in gradients]).square().sum().sqrt()
    factor = min(1.0, LIMIT / (float(norm) + 1e-6))
    for gradient in gradients:
        gradient.mul_(factor)
    return norm


def baseline(gradients):
    total = torch.zeros((), device=gradients[0].device)
    for gradient in gradients:
        total = total + gradient.square().sum()
    norm = total.sqrt()
    factor = (LIMIT / (norm + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return norm


def optimized(gradients):
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
    torch._foreach_mul_(gradients, (LIMIT / (norm + 1e-6)).clamp(max=1.0))
    return norm


def cost(tensors, size):
    n = tensors * size
    return dict(flops=3 * n, bytes=12 * n, baseline_bytes=20 * n, optimized_bytes=12 * n)
