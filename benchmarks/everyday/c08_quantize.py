"""Quantise with one call, not with a chain of elementwise steps.

By hand the division, the rounding, the shift, the clamp and the conversion each read and write a whole tensor.
quantize_per_tensor reads four bytes and writes one for each element. The result is a quantised tensor on both sides.
"""

import torch

SCALE = 0.05
ZERO = 128

workload = workload_cpu = dict(rows=512, cols=1_024)
smoke = dict(rows=3, cols=45)
tolerance = dict(rtol=0.0, atol=0.051)  # one step of the scale: a value at the middle of a step may go either way
tier = "naive"


def inputs(rows, cols):
    return (2.0 * torch.randn(rows, cols),)


def reference(x):
    steps = torch.round(x.double() / SCALE).add(ZERO).clamp(0, 255)
    return torch._make_per_tensor_quantized_tensor(steps.to(torch.uint8), SCALE, ZERO)


def baseline(x):
    steps = torch.round(x / SCALE) + ZERO
    steps = torch.clamp(steps, 0, 255)
    return torch._make_per_tensor_quantized_tensor(steps.to(torch.uint8), SCALE, ZERO)


def optimized(x):
    return torch.quantize_per_tensor(x, SCALE, ZERO, torch.quint8)


def cost(rows, cols):
    n = rows * cols
    return dict(flops=4 * n, bytes=5 * n, baseline_bytes=(4 * 8 + 5 + 2) * n, optimized_bytes=5 * n)
