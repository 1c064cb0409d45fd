"""Make complex numbers from polar coordinates with torch.polar, not with a complex exponential.

`r * exp(1j * theta)` turns theta into a complex tensor, takes a complex exponential whose real part is always zero,
and multiplies complex numbers. torch.polar takes one sine and one cosine for each element and writes the answer once.
"""

import torch

workload = dict(rows=4_096, cols=4_096)
workload_cpu = dict(rows=128, cols=1_024)
smoke = dict(rows=3, cols=29)
tolerance = dict(rtol=1e-6, atol=1e-6)  # a sine near 1 times a radius near 1, both rounded at 2**-24
tier = "naive"


def inputs(rows, cols):
    radius = 0.1 + torch.rand(rows, cols)
    angle = 2 * torch.pi * (torch.rand(rows, cols) - 0.5)
    return radius, angle


def reference(radius, angle):
    wide, turn = radius.double(), angle.double()
    return torch.complex(wide * turn.cos(), wide * turn.sin())


def baseline(radius, angle):
    return radius * torch.exp(1j * angle)


def optimized(radius, angle):
    return torch.polar(radius, angle)


def cost(rows, cols):
    n = rows * cols
    return dict(flops=4 * n, bytes=16 * n, baseline_bytes=48 * n, optimized_bytes=16 * n)
