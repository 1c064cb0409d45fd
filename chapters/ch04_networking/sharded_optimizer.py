"""Let each rank keep the optimizer's state of its own share of the parameters only: the same training in less memory.

With plain data parallelism every rank holds the same two moments of Adam and makes the same update of everything.
Instead, a reduce-scatter brings each rank the summed gradient of its share, it updates that, and an all-gather hands
the new parameters round. A ring all-reduce is just such a reduce-scatter and all-gather, so as many bytes cross the
link. Of memory, in units of the parameters, the update needs 1 + 2 moments on every rank against 1 + 2 / ranks: 1.5x
less on two ranks, 2.4x on eight. Layer by layer, what the backend and the arithmetic hold for a moment is a layer, not
all of them. The time is shown beside: less arithmetic on each rank, but twice as many messages.
"""

import torch
import torch.distributed as dist

LEARNING_RATE, DECAY, DECAY_OF_SQUARES, EPS = 0.1, 0.9, 0.999, 1e-8

workload = dict(steps=2, layers=16, elements=8_388_608)  # 512 MiB of parameters
workload_cpu = dict(steps=1, layers=4, elements=262_144)  # 4 MiB of parameters: more than the counter wanders
smoke = dict(steps=3, layers=2, elements=37)  # no number of ranks divides it
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
    """One process that has all gradients."""
    parts = [torch.empty_like(gradients) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, gradients)
    parameters, mean, square = start.double(), 0.0, 0.0
    for step, gradient in enumerate(sum(part.double() for part in parts) / len(parts), start=1):
        mean = DECAY * mean + (1 - DECAY) * gradient
        square = DECAY_OF_SQUARES * square + (1 - DECAY_OF_SQUARES) * gradient**2
        root = (square / (1 - DECAY_OF_SQUARES**step)).sqrt()
        parameters = parameters - LEARNING_RATE * mean / (1 - DECAY**step) / (root + EPS)
    return list(parameters)


def zeros_for(tensors):
    return [torch.zeros_like(tensor) for tensor in tensors]


def adam_(parameters, gradient, mean, square, step):
    mean.lerp_(gradient, 1 - DECAY)
    square.mul_(DECAY_OF_SQUARES).addcmul_(gradient, gradient, value=1 - DECAY_OF_SQUARES)
    root = (square / (1 - DECAY_OF_SQUARES**step)).sqrt_()
    parameters.addcdiv_(mean, root.add_(EPS), value=-LEARNING_RATE / (1 - DECAY**step))


def baseline(gradients, start):
    world, whole = dist.get_world_size(), torch.empty_like(start[0])
    parameters, means, squares = [layer.clone() for layer in start], zeros_for(start), zeros_for(start)
    for step, gradient in enumerate(gradients, start=1):
        for own, layer, mean, square in zip(gradient, parameters, means, squares, strict=True):
            dist.all_reduce(whole.copy_(own))
            adam_(layer, whole.div_(world), mean, square, step)
    return parameters


def optimized(gradients, start):
    rank, world = dist.get_rank(), dist.get_world_size()
    elements = start.shape[1]
    size = -(-elements // world)  # shares of one size: zeros behind the last parameter fill them up
    whole = start.new_zeros(size * world)
    parameters = [torch.nn.functional.pad(layer, (0, len(whole) - elements)) for layer in start]
    shares = [layer[rank * size : (rank + 1) * size] for layer in parameters]
    means, squares, sums = zeros_for(shares), zeros_for(shares), torch.empty_like(shares[0])
    for step, gradient in enumerate(gradients, start=1):
        for own, layer, share, mean, square in zip(gradient, parameters, shares, means, squares, strict=True):
            whole[:elements] = own
            dist.reduce_scatter_tensor(sums, whole)
            adam_(share, sums.div_(world), mean, square, step)
            dist.all_gather_into_tensor(layer, share)
    return [layer[:elements] for layer in parameters]


def cost(steps, layers, elements):
    return dict(predicted_optimized=(1 + 2) / (1 + 2 / ranks))
