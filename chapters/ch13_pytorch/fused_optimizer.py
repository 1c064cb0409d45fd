"""Step AdamW with `fused=True`, so that each parameter, gradient and moment crosses memory once per step.

The default update on a GPU is a list of multi-tensor operations: decay, two moments, root, division, addition. Each
reads and writes whole tensors, 80 bytes per float32 parameter in all. The fused kernel reads parameter, gradient and
both moments and writes three of them: 28 bytes. The optimizer and its moments outlive a call, as in a training loop;
each call sets them back to the start, 16 bytes on either side. Predicts: 2.4x for two steps. No gain where: forward and
backward take most of the step, which is usual, or tensors are so small that the host takes longer than the device.
"""

import torch

RATE, DECAY, BETAS, EPS = 1e-2, 0.1, (0.9, 0.99), 1e-8

workload = dict(steps=2, tensors=16, elements=1 << 22)  # 16 MiB per tensor: the device has more to do than the host
workload_cpu = dict(steps=2, tensors=16, elements=16_384)
smoke = dict(steps=3, tensors=3, elements=77)
constant = ("start",)
tolerance = dict(rtol=1e-5, atol=2e-6)  # a few updates of 0.01 on values near 1, each rounded at 2**-24 (6e-8)
tier = "idiomatic"
menu = ("training", "memory-bound")


def inputs(steps, tensors, elements):
    """Gradients of each step, and the parameters to start from."""
    return [list(step) for step in torch.randn(steps, tensors, elements)], list(torch.randn(tensors, elements))


def reference(gradients, start):
    parameters, mean, square = torch.stack(start).double(), 0.0, 0.0
    for step, gradient in enumerate(gradients, start=1):
        wide = torch.stack(gradient).double()
        mean = BETAS[0] * mean + (1 - BETAS[0]) * wide
        square = BETAS[1] * square + (1 - BETAS[1]) * wide**2
        root = (square / (1 - BETAS[1] ** step)).sqrt()
        parameters = parameters * (1 - RATE * DECAY) - RATE * mean / (1 - BETAS[0] ** step) / (root + EPS)
    return list(parameters)


def adamw(parameters, fused):
    return torch.optim.AdamW(parameters, lr=RATE, betas=BETAS, eps=EPS, weight_decay=DECAY, fused=fused)


def in_training(start, fused):
    """An optimizer that has stepped before, its parameters, its moments and its step counts."""
    parameters = [torch.zeros_like(one, memory_format=torch.contiguous_format) for one in start]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    optimizer = adamw(parameters, fused)
    optimizer.step()  # the first step makes the moments, three small kernels per tensor
    state = [optimizer.state[parameter] for parameter in parameters]
    moments = [one[name] for one in state for name in ("exp_avg", "exp_avg_sq")]
    return optimizer, parameters, moments, [one["step"] for one in state]


def train(training, gradients, start):
    optimizer, parameters, moments, counts = training
    torch._foreach_copy_(parameters, start)
    torch._foreach_zero_(moments)
    torch._foreach_zero_(counts)
    for gradient in gradients:
        for parameter, own in zip(parameters, gradient, strict=True):
            parameter.grad = own.contiguous()  # the fused kernel takes no other strides
        optimizer.step()
    return parameters


def prepare_baseline(gradients, start):
    return in_training(start, fused=None)  # the default: multi-tensor on a GPU, a loop over tensors on a CPU


def baseline(training, gradients, start):
    return train(training, gradients, start)


def prepare_optimized(gradients, start):
    return in_training(start, fused=True)


def optimized(training, gradients, start):
    return train(training, gradients, start)


def cost(steps, tensors, elements):
    count = tensors * elements
    return dict(
        flops=15 * steps * count,
        bytes=(16 + 28 * steps) * count,
        baseline_bytes=(16 + 80 * steps) * count,
        optimized_bytes=(16 + 28 * steps) * count,
    )


def loss_curve(side, steps):
    """Losses of a small network whose optimizer is that of the side."""
    weights = [torch.randn(16, 64) / 4, torch.randn(64, 16) / 8]
    leaves = [weight.requires_grad_() for weight in weights]
    optimizer, losses = adamw(leaves, fused=True if side == "optimized" else None), []
    for _ in range(steps):
        x = torch.randn(128, 16)
        loss = (torch.tanh(x @ leaves[0]) @ leaves[1] - x.roll(1, -1).tanh()).square().mean()
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses
