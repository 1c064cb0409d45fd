"""Update the moving average of a model's weights with one foreach call, not with a loop over parameters.

Each lerp_ is one dispatch, and on a GPU one launch, for a tensor that is done in less time than that. _foreach_lerp_
takes all of them in one call, and on a GPU in a few launches. The bytes are equal.
"""

import torch

DECAY = 0.99

workload = dict(layers=96, width=256)
workload_cpu = dict(layers=64, width=32)
smoke = dict(layers=3, width=7)
mutates = ["average"]
tolerance = dict(rtol=1e-6, atol=1e-7)  # weights below 0.2: one product and one sum, rounded at 2**-24
tier = "idiomatic"


def inputs(layers, width):
    average = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(layers)])
    model = torch.nn.Sequential(*[torch.nn.Linear(width, width) for _ in range(layers)])
    return average, model


@torch.no_grad()
def reference(average, model):
    for kept, weight in zip(average.parameters(), model.parameters(), strict=True):
        kept.copy_(DECAY * kept.double() + (1 - DECAY) * weight.double())


@torch.no_grad()
def baseline(average, model):
    for kept, weight in zip(average.parameters(), model.parameters(), strict=True):
        kept.lerp_(weight, 1 - DECAY)


@torch.no_grad()
def optimized(average, model):
    torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - DECAY)


def cost(layers, width):
    n = layers * (width**2 + width)
    return dict(flops=3 * n, bytes=12 * n, baseline_bytes=12 * n, optimized_bytes=12 * n)
