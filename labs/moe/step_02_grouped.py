"""Multiply all experts' slices with one grouped product, instead of three products per expert.

Slices of a few dozen rows are too thin to fill a GPU, and each needs launches of its own. A grouped product takes the
sorted rows and the ends of the slices, which stay on the device: three launches in all, and the host never waits.
Predicts: the same flops and bytes; 3 x experts launches become 3.
No gain where: a CPU's grouped product is a loop over the groups inside: "same" is the honest answer there.
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
baseline = "step_01_sorted"
tier = "idiomatic"
menu = ("both", "launch-bound")


def optimized(x, chosen, weights, gate, up, down):
    order = chosen.flatten().argsort()
    ends = torch.bincount(chosen.flatten(), minlength=len(gate)).cumsum(0).int()
    rows = x[order // chosen.shape[1]]
    open_, inner = (torch._grouped_mm(rows, side.mT, offs=ends) for side in (gate, up))
    results = torch._grouped_mm(torch.nn.functional.silu(open_) * inner, down.mT, offs=ends)
    back = torch.empty_like(results)
    back[order] = results
    return (back.view(*chosen.shape, -1) * weights[..., None]).sum(1)


def cost(tokens, experts, top, width, hidden, dtype):
    size, rows = getattr(torch, dtype).itemsize, tokens * top
    return dict(
        flops=6 * rows * width * hidden,
        bytes=size * (3 * experts * width * hidden + 2 * tokens * width),
        launches=3,
        baseline_launches=3 * experts,
    )
