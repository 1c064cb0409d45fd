"""Keep images in channels_last for convolutions.

Vendor kernels compute convolutions with the channels innermost; contiguous NCHW tensors are reordered on the way in
and out of each layer. Converting weights once and the images once per call saves a reorder per layer.
"""

import copy

import torch
from torch import nn

workload = dict(batch=64, channels=64, side=56)
workload_cpu = dict(batch=2, channels=16, side=28)
smoke = dict(batch=1, channels=3, side=9)
constant = ("model",)
layout = "any"  # the lesson is the layout: the result stays in channels_last, for the next layer
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of 9 x 64 products through three layers, results near 0.1
tier = "idiomatic"


def inputs(batch, channels, side):
    layers = [m for _ in range(3) for m in (nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU())]
    return nn.Sequential(*layers).eval().requires_grad_(False), torch.randn(batch, channels, side, side)


def reference(model, x):
    return copy.deepcopy(model).double()(x.double())


def baseline(model, x):
    return model(x)


def prepare_optimized(model, x):
    return copy.deepcopy(model).to(memory_format=torch.channels_last)


def optimized(converted, model, x):
    return converted(x.contiguous(memory_format=torch.channels_last))


def cost(batch, channels, side):
    image = 4 * batch * channels * side * side
    flops = 3 * 18 * batch * channels**2 * side**2
    return dict(flops=flops, bytes=2 * image, baseline_bytes=24 * image, optimized_bytes=14 * image)
