"""Update many small tensors with one multi-tensor call instead of one call per tensor.

A moving average of the weights touches every parameter after every step. One `lerp_` per tensor dispatches as many
operators as there are tensors; on a GPU each launches a kernel that is done in a microsecond. `torch._foreach_lerp_`
takes the whole list: a C++ loop replaces Python's, and one launch covers up to 64 tensors. The bytes are equal.
Predicts: the ratio of launches. No gain where: the tensors are large, because then their bytes take the time.
"""

import torch

KEEP = 0.99

workload = dict(tensors=256, elements=4_096)  # 4 MiB in all: launches take the time
workload_cpu = dict(tensors=128, elements=64)
smoke = dict(tensors=5, elements=77)
mutates = ("average",)
tolerance = dict(rtol=1e-6, atol=2e-7)  # one product and one sum of values near 1, rounded at 2**-24 (6e-8)
tier = "idiomatic"
menu = ("training", "launch-bound")

TENSORS_PER_LAUNCH = 64  # what fits into the arguments of a kernel that takes two lists


def inputs(tensors, elements):
    return list(torch.randn(tensors, elements)), list(torch.randn(tensors, elements))


def reference(average, weights):
    for mean, weight in zip(average, weights, strict=True):
        mean.copy_(KEEP * mean + (1 - KEEP) * weight.double())


def baseline(average, weights):
    for mean, weight in zip(average, weights, strict=True):
        mean.lerp_(weight, 1 - KEEP)


def optimized(average, weights):
    torch._foreach_lerp_(average, weights, 1 - KEEP)


def cost(tensors, elements):
    return dict(
        flops=3 * tensors * elements,
        bytes=12 * tensors * elements,
        baseline_launches=tensors,
        optimized_launches=-(-tensors // TENSORS_PER_LAUNCH),
    )
