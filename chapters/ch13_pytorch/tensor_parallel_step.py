"""Split each layer over the ranks: a training step is then half the work per rank, and must not drift from one rank.

The first matrix is split by columns and the second by rows, so a rank needs nothing from the others between them.
Partial outputs are summed once per step; the input needs no gradient here. All ranks need the whole batch, so both
sides gather it first. Predicts: on two ranks half the arithmetic, and one more sum. No gain where: the layer is small
or the link is slow. A sum that is forgotten or done twice still trains, but something else. So all weights after the
steps are held against one process in float64.
"""

import torch
import torch.distributed as dist

RATE, FLOPS_PER_BYTE = 0.02, 100  # learning rate; flops that a rank does while its link moves a byte

workload = dict(steps=2, batch=4_096, width=2_048, hidden=8_192)
workload_cpu = dict(steps=2, batch=64, width=64, hidden=512)
smoke = dict(steps=4, batch=5, width=17, hidden=23)  # no number of ranks divides it
ranks = 2
constant = ("up", "down")
tolerance = dict(rtol=1e-4, atol=2e-5)  # float32 losses and weights near 1 after the steps, rounded at 2**-24 in each
tier = "idiomatic"
menu = ("training", "compute-bound")


def inputs(steps, batch, width, hidden):
    x, y = torch.randn(2, steps, batch, width)
    return x, y, torch.randn(width, hidden) / width**0.5, torch.randn(hidden, width) / hidden**0.5


def gathered(x, y):
    """The batches of all ranks, in the order of the ranks."""
    own = torch.stack((x, y)).contiguous()
    parts = [torch.empty_like(own) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, own)
    return torch.cat(parts, dim=2)


def reference(x, y, up, down):
    """One process in float64, the gradients by hand."""
    up, down, losses = up.double(), down.double(), []
    for features, target in zip(*gathered(x.double(), y.double()), strict=True):
        hidden = torch.tanh(features @ up)
        error = hidden @ down - target
        losses.append(error.square().mean())
        slope = 2 * error / len(error)
        inner = slope @ down.T * (1 - hidden**2)
        up, down = up - RATE * features.T @ inner, down - RATE * hidden.T @ slope
    return torch.stack(losses), up, down


def update(features, hidden, error, up, down):
    """The backward pass of the part of the layer that a rank has, and its update."""
    slope = 2 * error / len(error)
    inner = slope @ down.T * (1 - hidden.square())
    down.sub_(hidden.T @ slope, alpha=RATE)
    up.sub_(features.T @ inner, alpha=RATE)


def baseline(x, y, up, down):
    up, down, losses = up.clone(), down.clone(), []
    for features, target in zip(*gathered(x, y), strict=True):
        hidden = torch.tanh(features @ up)
        error = hidden @ down - target
        losses.append(error.square().mean())
        update(features, hidden, error, up, down)
    return torch.stack(losses), up, down


def optimized(x, y, up, down):
    up_part, down_part, losses = own_rows(up.T).T, own_rows(down), []
    for features, target in zip(*gathered(x, y), strict=True):
        hidden = torch.tanh(features @ up_part)
        output = hidden @ down_part
        dist.all_reduce(output)  # a sum of the parts
        error = output - target
        losses.append(error.square().mean())
        update(features, hidden, error, up_part, down_part)
    return torch.stack(losses), joined(up_part.T)[: len(down)].T.contiguous(), joined(down_part)[: len(down)]


def own_rows(weight):
    """A copy of this rank's rows. Parts have one size: zeros fill the last, and their gradients are zero."""
    rank, size = dist.get_rank(), -(-len(weight) // dist.get_world_size())
    rows = weight[rank * size : (rank + 1) * size]
    return torch.nn.functional.pad(rows, (0, 0, 0, size - len(rows)))


def joined(part):
    """All parts, for the answer: a program would keep its own."""
    parts = [torch.empty_like(part, memory_format=torch.contiguous_format) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, part.contiguous())
    return torch.cat(parts)


def cost(steps, batch, width, hidden):
    rows = batch * ranks
    flops, batches = steps * 10 * rows * width * hidden, steps * 8 * rows * width * FLOPS_PER_BYTE
    sums, weights = steps * 4 * rows * width * FLOPS_PER_BYTE, 8 * width * hidden * FLOPS_PER_BYTE
    return dict(predicted_optimized=(flops + batches) / (flops / ranks + batches + sums + weights / ranks))


def loss_curve(side, steps):
    """Losses of a call with so many steps, on the ranks of the pair; all of them start from rank 0's weights."""
    x, weights = torch.randn(steps, 64, 16), [torch.randn(16, 64) / 4, torch.randn(64, 16) / 8]
    x = x.roll(dist.get_rank(), 0)  # each rank has a share of the batch of its own
    for weight in weights:
        dist.broadcast(weight, 0)
    run = optimized if side == "optimized" else baseline
    return run(x, x.roll(1, -1).tanh(), *weights)[0].tolist()
