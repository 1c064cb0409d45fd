"""Keep images in `channels_last` through a convolutional network: its kernels want the channels innermost.

Tensor cores and vector units multiply over channels. In a contiguous NCHW image the channels lie a whole plane apart,
so the library reorders the image before a convolution and the result behind it. If the weights are converted once and
the image once per call, only that conversion is left. The arithmetic is equal. Predicts: the ratio of the passes if
bytes bind, less if arithmetic does. No gain where: the kernel for NCHW is as good, or there are only a few channels.
"""

import copy

import torch
from torch import nn

workload = dict(layers=4, batch=64, channels=128, side=56, dtype="bfloat16")  # 49 MiB per image batch
workload_cpu = dict(layers=4, batch=2, channels=32, side=28, dtype="float32")
smoke = dict(layers=2, batch=2, channels=5, side=11, dtype="float32")
constant = ("model",)
layout = "any"  # the lesson is the layout: a result stays in channels_last for what comes next
tolerance = dict(
    bfloat16=dict(rtol=2e-2, atol=4e-2),  # four layers of values near 1, each rounded at 2**-9: six times 0.004
    float32=dict(rtol=1e-4, atol=1e-5),  # sums of 9 products per channel at 2**-24, in another order
)
tier = "idiomatic"
menu = ("both", "memory-bound")


def inputs(layers, batch, channels, side, dtype):
    model = nn.Sequential(
        *(part for _ in range(layers) for part in (nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()))
    )
    for parameter in model.parameters():
        parameter.requires_grad_(False).normal_(std=(2 / 9 / channels) ** 0.5)  # keeps the size of what goes through
    kind = getattr(torch, dtype)
    return model.to(kind), torch.randn(batch, channels, side, side, dtype=kind)


def reference(model, x):
    return copy.deepcopy(model).double()(x.double())


def baseline(model, x):
    return model(x)


def prepare_optimized(model, x):
    return copy.deepcopy(model).to(memory_format=torch.channels_last)


def optimized(converted, model, x):
    return converted(x.contiguous(memory_format=torch.channels_last))


def cost(layers, batch, channels, side, dtype):
    image = batch * channels * side**2 * getattr(torch, dtype).itemsize
    return dict(
        flops=2 * 9 * layers * batch * channels**2 * side**2,
        bytes=2 * image,
        baseline_bytes=8 * layers * image,  # reorder, convolve, reorder, ReLU: each reads and writes the image
        optimized_bytes=(2 + 4 * layers) * image,
    )
