"""Let each rank keep the optimizer's state of its own share of the parameters only: the same training in less memory.

With plain data parallelism every rank holds the same two moments of Adam and makes the same update. Instead, a
reduce-scatter brings each rank the summed gradient of its share, it updates that, and an all-gather hands the new
parameters round. A ring all-reduce is a reduce-scatter and an all-gather, so the bytes on the link are the same.
Memory in units of the parameters: 1 + gradient 1 + moments 2 = 4 against 1 + (1 + 2) / ranks: 1.6x less on two ranks,
2.9x on eight. Sharing out layer by layer keeps the buffers of the backend at the size of one layer (gloo makes a copy
of what it reduces). The update is shared out too, and twice as many messages are sent: the time is shown beside.
"""

import torch
import torch.distributed as dist

LEARNING_RATE, DECAY, DECAY_OF_SQUARES, EPS = 0.1, 0.9, 0.999, 1e-8

workload = dict(steps=2, layers=8, elements=16_777_216)  # 512 MiB of parameters
workload_cpu = dict(steps=2, layers=4, elements=131_072)  # 2 MiB of parameters: blocks that glibc gives back at once
smoke = dict(steps=3, layers=2, elements=34)
ranks = 2
constant = ("start",)
claim = "memory"
tolerance = dict(rtol=1e-5, atol=2e-6)  # updates of 0.1 whose ratio of moments is rounded a few times at 2**-24 (6e-8)
tier = "idiomatic"
menu = ("training", "out-of-memory")


def inputs(steps, layers, elements):
    """Gradients of one batch after the other, different on each rank; parameters are the same everywhere."""
    return torch.randn(steps, layers, elements), torch.randn(layers, elements)


def reference(gradients, start):
    """One process that has all gradients; Adam as it was published."""
    parts = [torch.empty_like(gradients) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, gradients)
    parameters, mean, square = start.double(), 0.0, 0.0
    for step, gradient in enumerate(sum(part.double() for part in parts) / len(parts), start=1):
        mean = DECAY * mean + (1 - DECAY) * gradient
        square = DECAY_OF_SQUARES * square + (1 - DECAY_OF_SQUARES) * gradient**2
        scale = (square / (1 - DECAY_OF_SQUARES**step)).sqrt() + EPS
        parameters = parameters - LEARNING_RATE * mean / (1 - DECAY**step) / scale
    return parameters


def adam(parameters):
    return torch.optim.Adam(parameters, LEARNING_RATE, (DECAY, DECAY_OF_SQUARES), EPS, fused=True)


def baseline(gradients, start):
    parameters = start.clone()
    optimizer = adam(layers := list(parameters))
    for gradient in gradients:
        for layer, own in zip(layers, gradient, strict=True):
            layer.grad = own / dist.get_world_size()
            dist.all_reduce(layer.grad)
        optimizer.step()
    return parameters


def optimized(gradients, start):
    parameters, rank, world = start.clone(), dist.get_rank(), dist.get_world_size()
    optimizer = adam(shares := [layer.chunk(world)[rank] for layer in parameters])
    for gradient in gradients:
        for share, own in zip(shares, gradient, strict=True):
            share.grad = torch.empty_like(share)
            dist.reduce_scatter_tensor(share.grad, own)
            share.grad /= world
        optimizer.step()
        for layer, share in zip(parameters, shares, strict=True):
            dist.all_gather_into_tensor(layer, share)
    return parameters


def cost(steps, layers, elements):
    return dict(predicted_optimized=4 / (1 + 3 / ranks))
