"""Compute both sides of a branch and select, instead of gathering the elements that take it.

`out[mask] = f(x[mask])` looks like less work: only some elements are computed. But it counts the mask, gathers the
elements, computes, and scatters them back, each in passes of its own; on a GPU the host also waits for the count.
`torch.where` computes `f` for every element and selects, in three passes. Predicts: the ratio of bytes, 1.7x if half
of the elements take the branch. No gain if `f` is expensive and few elements take it. `optimized_library` is the same
function in one pass: look there first.
"""

import torch

TAKEN = 0.5  # share of the elements that are negative

workload = dict(count=67_108_864)  # 256 MiB of float32: larger than any L2
workload_cpu = dict(count=1_048_576)  # 4 MiB
smoke = dict(count=10_007)
tolerance = dict(rtol=1e-5, atol=1e-6)  # one exponential in float32, a few times 2**-24
tier = "idiomatic"
tour = True
menu = ("both", "memory-bound")


def inputs(count):
    return torch.randn(count)


def reference(x):
    wide, zero = x.double(), torch.zeros((), dtype=torch.float64, device=x.device)
    return torch.maximum(wide, zero) + torch.expm1(torch.minimum(wide, zero))


def baseline(x):
    out = x.clone()
    negative = x < 0
    out[negative] = torch.expm1(x[negative])
    return out


def optimized(x):
    return torch.where(x < 0, torch.expm1(x), x)


def optimized_library(x):
    return torch.nn.functional.elu(x)


def cost(count):
    places = 2 + 8 * TAKEN  # the mask is read twice to count and to list, and the list is of 8-byte numbers
    moved = 8 * TAKEN + (4 + 4) * TAKEN  # the list again, then one value in and one out
    baseline = (8 + 5 + 2 * (places + moved) + 8 * TAKEN) * count  # copy, compare, gather and scatter, expm1
    return dict(
        flops=2 * count,
        bytes=8 * count,
        baseline_bytes=baseline,
        optimized_bytes=(5 + 8 + 13) * count,  # compare, expm1, select
    )
