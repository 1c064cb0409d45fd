"""Update 64 parameters with a few multi-tensor kernels, not with ten small kernels for each.

Each parameter is small, so a kernel on one of them ends before the host has queued the next.
"""

import torch

LR, BETA1, BETA2, EPS, DECAY, T = 1e-3, 0.9, 0.999, 1e-8, 1e-2, 10

workload = dict(tensors=64, width=512)
workload_cpu = dict(tensors=64, width=32)
smoke = dict(tensors=3, width=7)
mutates = ("parameters", "first", "second")
domain = dict(second=(0.0, 10.0))  # a mean of squares
tolerance = dict(rtol=1e-5, atol=1e-6)  # a step of 1e-3 on fp32 values near 1
tier = "naive"


def inputs(tensors, width):
    drawn = [[torch.randn(width, width) for _ in range(tensors)] for _ in range(4)]
    return drawn[0], drawn[1], drawn[2], [one.square() for one in drawn[3]]


def reference(parameters, gradients, first, second):
    for p, g, m, v in zip(parameters, gradients, first, second, strict=True):
        g = g.double()
        m.copy_(BETA1 * m + (1 - BETA1) * g)
        v.copy_(BETA2 * v + (1 - BETA2) * g * g)
        p.copy_(p * (1 - LR * DECAY) - LR * (m / (1 - BETA1**T)) / ((v / (1 - BETA2**T)).sqrt() + EPS))


def baseline(parameters, gradients, first, second):
    for p, g, m, v in zip(parameters, gradients, first, second, strict=True):
        p.mul_(1 - LR * DECAY)
        m.lerp_(g, 1 - BETA1)
        v.mul_(BETA2).addcmul_(g, g, value=1 - BETA2)
        p.addcdiv_(m, (v / (1 - BETA2**T)).sqrt_().add_(EPS), value=-LR / (1 - BETA1**T))


def optimized(parameters, gradients, first, second):
    torch._foreach_mul_(parameters, 1 - LR * DECAY)
    torch._foreach_lerp_(first, gradients, 1 - BETA1)
    torch._foreach_mul_(second, BETA2)
    torch._foreach_addcmul_(second, gradients, gradients, value=1 - BETA2)
    root = torch._foreach_div(second, 1 - BETA2**T)
    torch._foreach_sqrt_(root)
    torch._foreach_add_(root, EPS)
    torch._foreach_addcdiv_(parameters, first, root, value=-LR / (1 - BETA1**T))


def cost(tensors, width):
    count = tensors * width * width
    return dict(flops=15 * count, bytes=28 * count, launches=12, baseline_launches=8 * tensors)
