"""All-reduce gradients in float16: half the bytes on the link, for an error of two roundings at 11 bits.

Where a link is the limit, half the bytes take half the time: 2x, less the two conversions through local memory, which
is ten times as wide: 1.8x. Each rank's value is rounded once and so is the sum: with values a and b the error is at
most 2**-11 (|a| + |b| + |a + b|), 0.05 % of what was added. Small next to the noise of a gradient from one batch; but
a value above 65,504 becomes infinite and one below 3e-8 zero, so divide by the number of ranks before, not after.
It pays where bytes are what is waited for. Between processes of one machine gloo moves them by copying memory and adds
float16 numbers one by one, converting each: there the smaller message is the slower one, and the honest result.
"""

import torch
import torch.distributed as dist

COPIES = 0.1  # what local memory takes for a byte, of what the link takes

workload = dict(elements=67_108_864)  # 256 MiB of gradients: bandwidth, not latency
workload_cpu = dict(elements=131_072)
smoke = dict(elements=777)
ranks = 2
mutates = ("gradient",)
tolerance = dict(rtol=1e-3, atol=4e-3)  # the bound above for |a| + |b| up to 10, halved by the mean; 2**-11 is 5e-4
lowers_precision = True
tier = "idiomatic"
menu = ("training", "communication-bound")


def inputs(elements):
    return (torch.randn(elements),)


def reference(gradient):
    parts = [torch.empty_like(gradient) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, gradient)
    gradient.copy_(sum(parts) / len(parts))


def baseline(gradient):
    gradient.div_(dist.get_world_size())
    dist.all_reduce(gradient)


def optimized(gradient):
    half = gradient.div_(dist.get_world_size()).half()
    dist.all_reduce(half)
    gradient.copy_(half)


def cost(elements):
    whole, halves, conversions = 4, 2, COPIES * 2 * (4 + 2)  # bytes an element: on the link, on it, through memory
    return dict(predicted_optimized=whole / (halves + conversions))
