"""Quantise a linear layer's weights to int8 and its activations on the fly.

The weights take a quarter of the bytes, and with few rows a linear layer is nothing but reading weights. The scale of
the activations is found in each call. The answer has about two digits, which is declared.
"""

import copy

import torch
from torch import nn

workload = dict(rows=4, width=4_096)
workload_cpu = dict(rows=4, width=1_024)
smoke = dict(rows=3, width=40)
constant = ("linear",)
lowers_precision = "int8"
tolerance = dict(rtol=2e-2, atol=6e-2)  # steps of 1/127 of the largest weight and activation; results deviate by 0.6
tier = "idiomatic"


def inputs(rows, width):
    # the quantised kernels of dynamic quantisation exist on the CPU only
    return nn.Linear(width, width, device="cpu").requires_grad_(False), torch.randn(rows, width, device="cpu")


def reference(linear, x):
    return copy.deepcopy(linear).double()(x.double())


def baseline(linear, x):
    return linear(x)


def prepare_optimized(linear, x):
    return torch.ao.quantization.quantize_dynamic(nn.Sequential(linear), {nn.Linear}, dtype=torch.qint8)


def optimized(quantised, linear, x):
    return quantised(x)


def cost(rows, width):
    weights = width * width
    moved = 8 * rows * width
    return dict(flops=2 * rows * weights, bytes=4 * weights + moved, optimized_bytes=weights + moved)
