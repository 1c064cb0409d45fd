"""Copy the gradients of many parameters into one bucket and all-reduce that: one latency, not one for each tensor.

An all-reduce takes a latency plus its bytes over the bandwidth of the link. A bias or a norm has a few kilobytes; what
a link moves in the time of one latency is about 2 MB (10 µs at 200 GB/s between GPUs, milliseconds at 1 GB/s through
a loopback socket). So a small gradient costs as much as one of 2 MB, and hundreds of them cost hundreds of latencies.
The bucket moves the same bytes over the link and adds two copies through local memory, which is far wider. The model is
(tensors + bytes / 2 MB) latencies against (1 + bytes / 2 MB): 28x for 400 tensors of 27 MB in all, and nearly the
number of tensors where they are small. Buckets that are cut at some 25 MB can be sent while the rest is computed.
"""

import torch
import torch.distributed as dist

LATENCY_BYTES = 2e6

workload = dict(tensors=400, elements=32_768)  # half of them weights of 128 KiB, half of them biases a 32nd of that
workload_cpu = dict(tensors=4, elements=4_096)  # four stand for hundreds: gloo takes half a millisecond and more each
smoke = dict(tensors=3, elements=77)
ranks = 2
mutates = ("gradients",)
tolerance = dict(rtol=1e-6, atol=1e-6)  # a float32 addition of values near 1, rounded at 2**-24, a further rank
tier = "idiomatic"
tour = True
menu = ("training", "communication-bound")


def inputs(tensors, elements):
    sizes = [elements if number % 2 == 0 else elements // 32 + 1 for number in range(tensors)]
    return ([part.clone() for part in torch.randn(sum(sizes)).split(sizes)],)  # as autograd leaves them: apart


def reference(gradients):
    for gradient in gradients:
        parts = [torch.empty_like(gradient) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, gradient)
        gradient.copy_(sum(parts))


def baseline(gradients):
    for gradient in gradients:
        dist.all_reduce(gradient)


def optimized(gradients):
    bucket = torch.cat([gradient.view(-1) for gradient in gradients])
    dist.all_reduce(bucket)
    parts = bucket.split([gradient.numel() for gradient in gradients])
    for gradient, part in zip(gradients, parts, strict=True):
        gradient.copy_(part.view_as(gradient))


def cost(tensors, elements):
    total = 4 * (tensors // 2 * (elements // 32 + 1) + (tensors - tensors // 2) * elements)
    return dict(predicted_optimized=(tensors + total / LATENCY_BYTES) / (1 + total / LATENCY_BYTES))
