"""Compute gate and up projection with one product: both read the same rows.

The two weights are laid one after the other once, in preparation. One grouped product of twice the width then reads
the sorted rows once instead of twice, and is one launch.
Predicts: one of three products goes; the rows are read once less, a few per cent of the bytes.
No gain where: weights are most of the bytes, as with few tokens per expert: expect a small gain or none.
"""

import torch

workload = dict(tokens=4_096, experts=64, top=4, width=2_048, hidden=1_024, dtype="bfloat16")
workload_cpu = dict(tokens=128, experts=32, top=2, width=64, hidden=64, dtype="float32")
smoke = dict(tokens=37, experts=7, top=2, width=24, hidden=40, dtype="bfloat16")
constant = ("gate", "up", "down")
domain = dict(chosen="drawn")  # numbers of experts, no two alike in a row
inputs = "step_01_sorted"
reference = "step_01_sorted"
tolerance = "step_01_sorted"
baseline = "step_02_grouped"
tier = "idiomatic"
menu = ("both", "launch-bound")


def prepare_optimized(x, chosen, weights, gate, up, down):
    return torch.cat([gate, up], 1)


def optimized(both, x, chosen, weights, gate, up, down):
    order = chosen.flatten().argsort()
    ends = torch.bincount(chosen.flatten(), minlength=len(gate)).cumsum(0).int()
    open_, inner = torch._grouped_mm(x[order // chosen.shape[1]], both.mT, offs=ends).chunk(2, -1)
    results = torch._grouped_mm(torch.nn.functional.silu(open_) * inner, down.mT, offs=ends)
    back = torch.empty_like(results)
    back[order] = results
    return (back.view(*chosen.shape, -1) * weights[..., None]).sum(1)


def cost(tokens, experts, top, width, hidden, dtype):
    size, rows = getattr(torch, dtype).itemsize, tokens * top
    matrices = 3 * experts * width * hidden
    return dict(
        flops=6 * rows * width * hidden,
        bytes=size * (matrices + 2 * tokens * width),
        baseline_bytes=size * (matrices + 5 * rows * width + 5 * rows * hidden),
        optimized_bytes=size * (matrices + 4 * rows * width + 5 * rows * hidden),
        launches=2,
        baseline_launches=3,
    )
