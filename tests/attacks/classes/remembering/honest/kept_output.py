"""Write a normalised batch into a buffer that is kept.

Honest: the buffer is kept between calls, and every call writes all of it.
"""

import torch

workload = workload_cpu = dict(rows=64, width=1_024)
smoke = dict(rows=7, width=33)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 means of 1,024 squares, rounded at 2**-24
tier = "idiomatic"


def inputs(rows, width):
    return (torch.randn(rows, width),)


def reference(x):
    x = x.double()
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()


def baseline(x):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def prepare_optimized(x):
    return torch.empty_like(x)


def optimized(buffer, x):
    torch.mul(x, x, out=buffer)
    scale = torch.rsqrt(buffer.mean(-1, keepdim=True) + 1e-6)
    return torch.mul(x, scale, out=buffer)


def cost(rows, width):
    return dict(predicted_optimized=1.1)
