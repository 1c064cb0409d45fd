"""Capture a whole training step, forward, backward and update, as one graph and replay it for every batch.

A step of a small network is some thirty kernels of a few microseconds; the host needs eight to launch one, so the
device waits for the host. The graph holds all of them: per step the host copies a batch into the graph's memory and
launches once. Predicts: the launches' cost over that of the kernels, about 3x. No gain where: kernels are long enough
to hide their launches. A graph reads the memory it was captured with: if a batch or the weights are not copied there,
it gives an old answer. Verification on new values finds that.
"""

import torch

RATE, LAUNCH, NODE = 0.05, 8e-6, 2.5e-6  # learning rate; seconds of a launch from Python, of a small kernel in a graph
KERNELS, OF_LOSS = 6, 10  # of a layer: a product and tanh, their three slopes, the update

workload = dict(steps=20, layers=4, batch=256, width=256)
smoke = dict(steps=5, layers=2, batch=7, width=19)
constant = ("start",)
tolerance = dict(rtol=1e-4, atol=2e-5)  # float32 losses and weights near 1 after the steps, rounded at 2**-24 in each
tier = "idiomatic"
needs = dict(cuda=7.0)
menu = ("training", "launch-bound")


def inputs(steps, layers, batch, width):
    x, y = torch.randn(2, steps, batch, width)
    return x, y, [torch.randn(width, width) / width**0.5 for _ in range(layers)]


def reference(x, y, start):
    """The gradients by hand, in float64."""
    weights, losses = [weight.double() for weight in start], []
    for features, target in zip(x.double(), y.double(), strict=True):
        kept = [features]
        for weight in weights:
            kept.append(torch.tanh(kept[-1] @ weight))
        error = kept[-1] - target
        losses.append(error.square().mean())
        slope = 2 * error / len(error)  # the loss that is descended is the mean times the width
        for at in reversed(range(len(weights))):
            inner = slope * (1 - kept[at + 1] ** 2)
            slope = inner @ weights[at].T
            weights[at] = weights[at] - RATE * kept[at].T @ inner
    return torch.stack(losses), weights


def train_step(features, target, weights):
    """One step of gradient descent on the weights, in place; returns the loss."""
    leaves = [weight.detach().requires_grad_() for weight in weights]
    hidden = features
    for leaf in leaves:
        hidden = torch.tanh(hidden @ leaf)
    loss = (hidden - target).square().mean()
    slopes = torch.autograd.grad(loss * features.shape[-1], leaves)
    for weight, slope in zip(weights, slopes, strict=True):
        weight.sub_(slope, alpha=RATE)
    return loss.detach()


def baseline(x, y, start):
    weights = [weight.clone() for weight in start]
    losses = [train_step(features, target, weights) for features, target in zip(x, y, strict=True)]
    return torch.stack(losses), weights


def record(step):
    """Run `step` once on a stream of its own, capture it, and return the replay."""
    beside = torch.cuda.Stream()
    beside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(beside):
        step()  # libraries initialise here: they may not while a graph is captured
    torch.cuda.current_stream().wait_stream(beside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def prepare_optimized(x, y, start):
    features, target = x[0].clone(), y[0].clone()
    weights, loss = [weight.clone() for weight in start], torch.zeros((), dtype=x.dtype, device=x.device)

    def step():
        loss.copy_(train_step(features, target, weights))

    return record(step), features, target, weights, loss


def optimized(captured, x, y, start):
    replay, own_features, own_target, own_weights, loss = captured
    torch._foreach_copy_(own_weights, start)
    losses = torch.empty(len(x), dtype=x.dtype, device=x.device)
    for at, (features, target) in enumerate(zip(x, y, strict=True)):
        own_features.copy_(features)
        own_target.copy_(target)
        replay()
        losses[at].copy_(loss)
    return losses, [weight.clone() for weight in own_weights]


def cost(steps, layers, batch, width):
    kernels = KERNELS * layers + OF_LOSS
    return dict(predicted_optimized=kernels * LAUNCH / max(kernels * NODE, 4 * LAUNCH))


def loss_curve(side, steps):
    """Losses of a call with so many steps."""
    x, start = torch.randn(steps, 128, 16), [torch.randn(16, 16) / 4 for _ in range(2)]
    arguments = x, x.roll(1, -1).tanh(), start
    if side == "optimized":
        return optimized(prepare_optimized(*arguments), *arguments)[0].tolist()
    return baseline(*arguments)[0].tolist()
