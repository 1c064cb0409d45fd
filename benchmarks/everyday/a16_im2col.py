"""Write a convolution as im2col and one matrix product, not as a sum over the taps of the kernel.

Nine small products with nine read-modify-writes of the output become one product with a nine times longer inner
dimension: the accumulators stay in registers. The price is a copy of the image that is nine times larger.
"""

import torch
from torch.nn import functional

workload = dict(batch=32, channels=64, side=56)
workload_cpu = dict(batch=2, channels=16, side=28)
smoke = dict(batch=2, channels=3, side=7)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=2e-5)  # float32 sums of 576 products, scaled to results near 1
tier = "naive"


def inputs(batch, channels, side):
    weight = torch.randn(channels, channels, 3, 3) / (9 * channels) ** 0.5
    return torch.randn(batch, channels, side, side), weight


def reference(x, weight):
    return functional.conv2d(x.double(), weight.double(), padding=1)


def baseline(x, weight):
    height, width = x.shape[-2:]
    padded = functional.pad(x, (1, 1, 1, 1))
    out = torch.zeros_like(x)
    for i in range(3):
        for j in range(3):
            out += torch.einsum("oc,bchw->bohw", weight[:, :, i, j], padded[:, :, i : i + height, j : j + width])
    return out


def optimized(x, weight):
    columns = functional.unfold(x, kernel_size=3, padding=1)
    return (weight.flatten(1) @ columns).view(x.shape)


def cost(batch, channels, side):
    image = 4 * batch * channels * side * side
    flops = 18 * batch * channels**2 * side**2
    return dict(flops=flops, bytes=2 * image, baseline_bytes=45 * image, optimized_bytes=20 * image)
