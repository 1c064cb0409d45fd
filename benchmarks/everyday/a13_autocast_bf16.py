"""Run a linear layer under autocast to bf16.

Half the bytes for weights and activations, and on processors with bf16 units (AMX, tensor cores) several times the
flops. The answer has 8 significant bits, which is the price and is declared. Without such units expect a loss: the
conversion is done on every call.
"""

import copy

import torch
from torch import nn

workload = dict(rows=4_096, width=4_096)
workload_cpu = dict(rows=128, width=512)
smoke = dict(rows=5, width=40)
constant = ("linear",)
lowers_precision = "bf16"
tolerance = dict(rtol=2**-7, atol=2**-6)  # bf16 rounds arguments and result at 2**-9; results near 1
tier = "idiomatic"


def inputs(rows, width):
    return nn.Linear(width, width).requires_grad_(False), torch.randn(rows, width)


def reference(linear, x):
    return copy.deepcopy(linear).double()(x.double())


def baseline(linear, x):
    return linear(x)


def optimized(linear, x):
    with torch.autocast(device_type=x.device.type, dtype=torch.bfloat16):
        return linear(x).float()


def cost(rows, width):
    least = 4 * (2 * rows * width + width * width)
    return dict(flops=2 * rows * width * width, bytes=least, baseline_bytes=least, optimized_bytes=least / 2)
