"""If the whole batch fits, take one backward of the mean instead of accumulating over four micro-batches.

The gradient of a mean over the batch is the mean of the micro-batches' gradients. Four passes read the weights four
times, add gradients three times and run four times as many small kernels, for the same flops.
"""

import copy

import torch
from torch import nn
from torch.nn import functional

MICRO = 4

workload = dict(rows=256, width=2_048)
workload_cpu = dict(rows=64, width=128)
smoke = dict(rows=8, width=10)
constant = ("model",)
tolerance = dict(rtol=1e-4, atol=1e-6)  # float32 sums over up to 256 rows; gradients of about 1e-3 to 1e-1
tier = "idiomatic"


def inputs(rows, width):
    model = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 10))
    return model, torch.randn(rows, width), torch.randint(10, (rows,))


def reference(model, x, target):
    model = copy.deepcopy(model).double()
    log_probs = model(x.double()).log_softmax(-1)
    loss = -log_probs[torch.arange(len(target), device=x.device), target].mean()
    return list(torch.autograd.grad(loss, list(model.parameters())))


def take_gradients(model):
    grads = [p.grad for p in model.parameters()]
    model.zero_grad(set_to_none=True)
    return grads


def baseline(model, x, target):
    for part, label in zip(x.chunk(MICRO), target.chunk(MICRO), strict=True):
        loss = functional.cross_entropy(model(part), label) / MICRO
        loss.backward()
    return take_gradients(model)


def optimized(model, x, target):
    functional.cross_entropy(model(x), target).backward()
    return take_gradients(model)


def cost(rows, width):
    weights = 4 * (width * width + 11 * width + 10)
    return dict(
        flops=6 * rows * width * (width + 10), bytes=3 * weights, baseline_bytes=(3 * MICRO + 3 * (MICRO - 1)) * weights
    )
