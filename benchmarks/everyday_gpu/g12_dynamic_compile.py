"""Compile a function with dynamic=True, so that one graph serves every length.

The element-wise chain is fused into one kernel; the price is index arithmetic with sizes that are not constants.
"""

import torch

workload = dict(rows=4_096, width=8_192)
workload_cpu = dict(rows=64, width=256)
smoke = dict(rows=5, width=33)
tolerance = dict(rtol=1e-5, atol=1e-5)  # fp32, exponentials of values near 1
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(rows, width)


def chain(x, gate):
    return torch.tanh(x) * torch.sigmoid(gate) + 0.5 * x


def reference(x, gate):
    return torch.tanh(x.double()) * torch.sigmoid(gate.double()) + 0.5 * x.double()


def baseline(x, gate):
    return chain(x, gate)


def prepare_optimized(x, gate):
    compiled = torch.compile(chain, dynamic=True)
    compiled(x, gate)
    return compiled


def optimized(compiled, x, gate):
    return compiled(x, gate)


def cost(rows, width):
    count = rows * width
    return dict(flops=12 * count, bytes=12 * count, baseline_bytes=52 * count, optimized_bytes=12 * count)
