"""Let all threads of a warp take the same branch: a warp pays for every branch that any of its threads takes.

The 32 threads of a warp have one instruction stream. If even lanes solve one equation and odd lanes another, the warp
runs both, with half of its lanes idle in each. Here a warp owns 64 neighbours on both sides, and a thread two of
them; only which two differs. Neighbours put one even and one odd element into each thread, and no step diverges.
Predicts: 2x. No gain where: memory is the limit, or branches are a few instructions that the compiler predicates
anyway.
"""

import torch

from perfproof import cuda

STEPS, BLOCK = 128, 256  # a step shrinks the error by 0.875 at the slowest: 4e-8 remain after 128

workload = dict(count=2**24)
smoke = dict(count=100_003)  # ragged on purpose: the last warp has 35 of its 64 elements
domain = dict(x=(0.0, 1.0))  # where both iterations converge
tolerance = dict(rtol=3e-6, atol=1e-7)  # 8 steps are remembered, 1 / (1 - 0.875), each with three roundings at 2**-24
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "compute-bound")
tour = True
counters = ("DIV",)

kernels = cuda.source(__file__, defines={"STEPS": STEPS})


def inputs(count):
    return torch.rand(count)


def reference(x):
    wide = x.double()
    even, odd = wide[0::2], wide[1::2]
    out = torch.empty_like(wide)
    # The fixed points in closed form: 0.625 v v + v - x = 0, and 0.875 v v + 0.125 v - x = 0.
    out[0::2] = (torch.sqrt(1 + 2.5 * even) - 1) / 1.25
    out[1::2] = (torch.sqrt(0.125**2 + 3.5 * odd) - 0.125) / 1.75
    return out


def baseline(x):
    x = x.contiguous()
    out = torch.empty_like(x)
    kernels.solve_apart(x, out, x.numel(), grid=-(-x.numel() // (2 * BLOCK)), block=BLOCK)
    return out


def optimized(x):
    x = x.contiguous()
    out = torch.empty_like(x)
    kernels.solve_neighbours(x, out, x.numel(), grid=-(-x.numel() // (2 * BLOCK)), block=BLOCK)
    return out


def cost(count):
    steps = count * STEPS
    return dict(flops=3.5 * steps, bytes=8 * count, predicted_optimized=2.0)  # 3 for an even step, 4 for an odd one
