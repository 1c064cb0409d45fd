"""Start the all-reduce of each gradient as soon as the backward pass has made it: the rest of the pass hides it.

The backward pass makes the last layer's gradient first, and nobody needs it before the update. Sent at once it travels
while the layers before it are worked on; sent at the end it makes everybody wait. Messages and arithmetic are equal on
both sides. For a layer of `width` squared weights the backward pass does 4 * batch flops a weight and sends 4 bytes; a
processor does some 100 flops in the time in which its link moves a byte, so both take equally long at a batch of 100,
and in the best case only the forward pass, the longer of the two and one layer of the other remain: with eight layers
1.5x there, 1.2x at a batch of 256. Where the same cores compute and move the bytes (gloo on a CPU) only the waiting can
be hidden: expect little, and where cores are short "same" or slightly slower.
PyTorch's `DistributedDataParallel` does the same, with small gradients put together into buckets.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import mse_loss

FLOPS_A_BYTE = 100
LEARNING_RATE = 0.5

workload = dict(steps=2, layers=8, batch=256, width=4_096)  # 64 MiB a gradient: bandwidth, not latency
workload_cpu = dict(steps=1, layers=4, batch=64, width=256)  # 256 KiB a gradient
smoke = dict(steps=2, layers=3, batch=5, width=17)
ranks = 2
constant = ("weights",)
tolerance = dict(rtol=1e-5, atol=2e-6)  # weights below 1 after a few float32 updates, each rounded at 2**-24 (6e-8)
tier = "idiomatic"
menu = ("training", "communication-bound")


def inputs(steps, layers, batch, width):
    x, y = torch.randn(2, steps, batch, width)
    return x, y, [torch.randn(width, width) / width**0.5 for _ in range(layers)]


def reference(x, y, weights):
    """One process on the batches of all ranks."""
    own = torch.stack((x.double(), y.double()))
    parts = [torch.empty_like(own) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, own)
    leaves = [weight.double().requires_grad_() for weight in weights]
    for features, target in zip(*torch.cat(parts, dim=2), strict=True):
        gradients = torch.autograd.grad(loss_of(leaves, features, target), leaves)
        leaves = [
            (leaf - LEARNING_RATE * g).detach().requires_grad_() for leaf, g in zip(leaves, gradients, strict=True)
        ]
    return [leaf.detach() for leaf in leaves]


def loss_of(weights, features, target):
    for weight in weights:
        features = torch.tanh(features @ weight)
    return mse_loss(features, target) * features.shape[-1]  # the mean over a batch of squared distances


def update(leaves):
    """Gradients are sums over ranks by now."""
    with torch.no_grad():
        for leaf in leaves:
            leaf.sub_(leaf.grad, alpha=LEARNING_RATE / dist.get_world_size())
            leaf.grad = None


def baseline(x, y, weights):
    leaves = [weight.clone().requires_grad_() for weight in weights]
    for features, target in zip(x, y, strict=True):
        loss_of(leaves, features, target).backward()
        sent = [dist.all_reduce(leaf.grad, async_op=True) for leaf in reversed(leaves)]
        for work in sent:
            work.wait()
        update(leaves)
    return [leaf.detach() for leaf in leaves]


def optimized(x, y, weights):
    sent = []
    leaves = [weight.clone().requires_grad_() for weight in weights]
    for leaf in leaves:
        leaf.register_post_accumulate_grad_hook(lambda leaf: sent.append(dist.all_reduce(leaf.grad, async_op=True)))
    for features, target in zip(x, y, strict=True):
        loss_of(leaves, features, target).backward()
        while sent:
            sent.pop().wait()
        update(leaves)
    return [leaf.detach() for leaf in leaves]


def cost(steps, layers, batch, width):
    backward, send = 4 * batch / FLOPS_A_BYTE, 4  # for each weight, in the time of a byte
    forward = layers * backward / 2
    hidden = max(backward, send) * (layers - 1) + backward + send
    return dict(predicted_optimized=(forward + layers * (backward + send)) / (forward + hidden))
