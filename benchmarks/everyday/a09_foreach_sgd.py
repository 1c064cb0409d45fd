"""Update a list of small tensors with torch._foreach_* calls instead of a Python loop.

SGD with momentum is three operations per tensor: 192 dispatches for 64 tensors, and as many launches on a GPU. The
foreach calls take the lists as they are: three dispatches. The bytes are equal on both sides.
"""

import torch

LR, MOMENTUM = 0.1, 0.9

workload = dict(count=64, size=4_096)
workload_cpu = dict(count=64, size=256)
smoke = dict(count=5, size=13)
mutates = ("params", "momenta")
tolerance = dict(rtol=1e-5, atol=1e-6)  # two float32 steps on values near 1
tier = "naive"


def inputs(count, size):
    params, grads, momenta = ([torch.randn(size) for _ in range(count)] for _ in range(3))
    return params, grads, momenta


def reference(params, grads, momenta):
    for p, g, m in zip(params, grads, momenta, strict=True):
        m.copy_(MOMENTUM * m.double() + g.double())
        p.copy_(p.double() - LR * m.double())


def baseline(params, grads, momenta):
    for p, g, m in zip(params, grads, momenta, strict=True):
        m.mul_(MOMENTUM).add_(g)
        p.add_(m, alpha=-LR)


def optimized(params, grads, momenta):
    torch._foreach_mul_(momenta, MOMENTUM)
    torch._foreach_add_(momenta, grads)
    torch._foreach_add_(params, momenta, alpha=-LR)


def cost(count, size):
    return dict(flops=4 * count * size, bytes=20 * count * size)
