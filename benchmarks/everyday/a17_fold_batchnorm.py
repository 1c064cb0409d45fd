"""Fold a batch norm into the convolution before it, once, before inference.

In inference batch norm is a scale and a shift per channel, and so is part of what a convolution already does. Folded,
the output is written once; apart, it is written, read and written again.
"""

import copy

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

workload = dict(batch=64, channels=64, side=56)
workload_cpu = dict(batch=2, channels=16, side=32)
smoke = dict(batch=1, channels=3, side=7)
constant = ("conv", "norm")
tolerance = dict(rtol=1e-4, atol=2e-5)  # float32 sums of 576 products; the folded weights are rounded at 2**-24
tier = "idiomatic"


def inputs(batch, channels, side):
    conv = nn.Conv2d(channels, channels, 3, padding=1)
    norm = nn.BatchNorm2d(channels)
    norm.running_mean.normal_(0, 0.2)
    norm.running_var.uniform_(0.5, 1.5)
    nn.init.uniform_(norm.weight, 0.5, 1.5)
    nn.init.normal_(norm.bias)
    x = torch.randn(batch, channels, side, side)
    return conv.eval().requires_grad_(False), norm.eval().requires_grad_(False), x


def reference(conv, norm, x):
    y = copy.deepcopy(conv).double()(x.double())
    mean, var, scale, shift = (
        t.double()[:, None, None] for t in (norm.running_mean, norm.running_var, norm.weight, norm.bias)
    )
    return (y - mean) / torch.sqrt(var + norm.eps) * scale + shift


def baseline(conv, norm, x):
    return norm(conv(x))


def prepare_optimized(conv, norm, x):
    return fuse_conv_bn_eval(conv, norm)


def optimized(fused, conv, norm, x):
    return fused(x)


def cost(batch, channels, side):
    image = 4 * batch * channels * side * side
    return dict(flops=18 * batch * channels**2 * side**2, bytes=2 * image, baseline_bytes=4 * image)
