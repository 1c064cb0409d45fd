"""Give every expert the same number of places, so that all shapes are known before the data is.

A grouped product has slices of any length. With a fixed capacity each expert gets a block of `capacity` rows: tokens
are scattered into the blocks, a batched product does all of them, and no shape depends on the data. Choices past the
capacity are dropped, by both sides alike and in the same order: this is another function than without a limit, and
the price of it.
Predicts: no gain in flops: empty places are computed too, 1.25x as many rows. The gain is what static shapes allow:
graphs.
No gain where: a grouped product exists and shapes may vary: expect "same" or "slower".
"""

import torch

workload = dict(tokens=4_096, experts=64, top=4, width=2_048, hidden=1_024, capacity=320, dtype="bfloat16")
workload_cpu = dict(tokens=128, experts=32, top=2, width=64, hidden=64, capacity=10, dtype="float32")
# Some choices are dropped.
smoke = dict(tokens=37, experts=7, top=2, width=24, hidden=40, capacity=11, dtype="bfloat16")
constant = ("gate", "up", "down", "capacity")
domain = dict(chosen="drawn")  # numbers of experts, no two alike in a row
tolerance = "step_01_sorted"
tier = "idiomatic"
menu = ("both", "launch-bound")


def inputs(tokens, experts, top, width, hidden, capacity, dtype):
    kind = getattr(torch, dtype)
    chosen = torch.rand(tokens, experts).topk(top, -1).indices
    weights = torch.rand(tokens, top).to(kind) + 0.5
    gate, up = (torch.randn(experts, hidden, width, dtype=kind) / width**0.5 for _ in range(2))
    down = torch.randn(experts, width, hidden, dtype=kind) / hidden**0.5
    return torch.randn(tokens, width, dtype=kind), chosen, weights, gate, up, down, capacity


def reference(x, chosen, weights, gate, up, down, capacity):
    """Every expert on every token; a token past the capacity has weight zero."""
    total = torch.zeros_like(x, dtype=torch.float64)
    for expert in range(len(gate)):
        mine = (chosen == expert).any(-1)
        kept = mine & (mine.cumsum(0) <= capacity)
        share = (weights.double() * (chosen == expert)).sum(-1, keepdim=True) * kept[:, None]
        inner = torch.nn.functional.silu(x.double() @ gate[expert].double().T) * (x.double() @ up[expert].double().T)
        total += share * (inner @ down[expert].double().T)
    return total


def places(chosen, experts):
    """For each choice, the number of earlier choices of the same expert, counted token by token."""
    flat = chosen.flatten()
    order = flat.argsort(stable=True)
    starts = torch.bincount(flat, minlength=experts).cumsum(0) - torch.bincount(flat, minlength=experts)
    place = torch.empty_like(flat)
    place[order] = torch.arange(len(flat), device=flat.device) - starts[flat[order]]
    return order, place


def baseline(x, chosen, weights, gate, up, down, capacity):
    order, place = places(chosen, len(gate))
    ends = torch.bincount(chosen.flatten(), minlength=len(gate)).cumsum(0).int()
    rows = x[order // chosen.shape[1]]
    open_, inner = (torch._grouped_mm(rows, side.mT, offs=ends) for side in (gate, up))
    results = torch._grouped_mm(torch.nn.functional.silu(open_) * inner, down.mT, offs=ends)
    back = torch.empty_like(results)
    back[order] = results
    kept = weights * (place < capacity).view_as(weights)
    return (back.view(*chosen.shape, -1) * kept[..., None]).sum(1)


def optimized(x, chosen, weights, gate, up, down, capacity):
    _, place = places(chosen, len(gate))
    kept = place < capacity
    last = len(gate) * capacity  # dropped choices share one row past the end, which nothing reads
    row = torch.where(kept, chosen.flatten() * capacity + place, last)
    blocks = x.new_zeros(last + 1, x.shape[1])
    blocks[row] = x.repeat_interleave(chosen.shape[1], 0)
    rows = blocks[:last].view(len(gate), capacity, -1)
    results = (torch.nn.functional.silu(rows @ gate.mT) * (rows @ up.mT)) @ down.mT
    found = results.flatten(0, 1)[row.clamp_max(last - 1)].view(*chosen.shape, -1)
    return (found * (weights * kept.view_as(weights))[..., None]).sum(1)


def cost(tokens, experts, top, width, hidden, capacity, dtype):
    size, rows = getattr(torch, dtype).itemsize, tokens * top
    return dict(
        flops=6 * min(rows, experts * capacity) * width * hidden,
        baseline_flops=6 * rows * width * hidden,
        optimized_flops=6 * experts * capacity * width * hidden,
        bytes=size * (3 * experts * width * hidden + 2 * tokens * width),
    )
