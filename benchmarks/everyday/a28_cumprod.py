"""Scan with torch.cumprod, not with a loop over time.

The loop dispatches a product and a copy per step, each over a single column. cumprod is one call that reads the array
once and writes it once.
"""

import torch

workload = dict(rows=4_096, steps=1_024)
workload_cpu = dict(rows=64, steps=256)
smoke = dict(rows=3, steps=17)
tolerance = dict(rtol=1e-4, atol=1e-6)  # up to 1,024 float32 products in a row, each rounded at 2**-24
tier = "naive"


def inputs(rows, steps):
    return (0.95 + 0.1 * torch.rand(rows, steps),)  # decays near 1


def reference(decay):
    return torch.stack([decay[:, : t + 1].double().prod(-1) for t in range(decay.shape[1])], dim=-1)


def baseline(decay):
    out = torch.empty_like(decay)
    state = torch.ones_like(decay[:, 0])
    for t in range(decay.shape[1]):
        state = state * decay[:, t]
        out[:, t] = state
    return out


def optimized(decay):
    return torch.cumprod(decay, dim=-1)


def cost(rows, steps):
    array = 4 * rows * steps
    return dict(flops=rows * steps, bytes=2 * array, baseline_bytes=5 * array, optimized_bytes=2 * array)
