"""All-reduce gradients in float16: half the bytes on the link, for an error of two roundings at 11 bits.

Half the bytes cross the link, and the two conversions cross local memory. Between GPUs of one machine memory is some
ten times as wide as the link: 1.2x; between machines a hundred times: 1.9x. Each rank's value is rounded once and so
is the sum: with values a and b the error is at most 2**-11 (|a| + |b| + |a + b|), 0.05 % of what was added. Small next
to the noise of a gradient from one batch; but a value above 65,504 becomes infinite and one below 3e-8 zero, so divide
by the number of ranks before adding, not after. It pays where bytes are what is waited for. Between processes of one
machine gloo moves bytes by copying memory, and adds float16 numbers by converting each: there the smaller message is
not the faster one, and "slower" is the honest result.
"""

import torch
import torch.distributed as dist

LINK = 10  # times that local memory is wider

workload = dict(elements=67_108_864)  # 256 MiB of gradients: bandwidth, not latency
workload_cpu = dict(elements=131_072)
smoke = dict(elements=777)
ranks = 2
mutates = ("gradient",)
tolerance = dict(rtol=1e-3, atol=4e-3)  # the bound above for |a| + |b| up to 10, halved by the mean; 2**-11 is 5e-4
lowers_precision = "fp16"
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
    division, conversions = (4 + 4) / LINK, 2 * (4 + 2) / LINK  # bytes an element, in the time of one on the link
    return dict(predicted_optimized=(4 + division) / (2 + division + conversions))
