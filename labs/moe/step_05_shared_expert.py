"""Let the shared expert be one more group of the grouped product: all tokens choose it.

Some layers have an expert that every token visits, beside those it chooses. Computed apart it is two products with
launches of their own. A grouped product takes groups of any length, so all tokens can stand once more behind the sorted
rows, as the group of the last expert. The layer is another function than in the steps before, so both sides are written
here.
Predicts: the same products; 4 launches become 2, and the tokens are copied once more.
No gain where: the shared expert fills the device by itself: expect "same" with many tokens.
"""

import torch

workload = dict(tokens=4_096, experts=64, top=4, width=2_048, hidden=1_024, dtype="bfloat16")
workload_cpu = dict(tokens=128, experts=32, top=2, width=64, hidden=64, dtype="float32")
# Widths of eights, as grouped products want.
smoke = dict(tokens=37, experts=7, top=2, width=24, hidden=40, dtype="bfloat16")
constant = ("gate", "up", "down")  # the last of each is the shared expert's
domain = dict(chosen="drawn")  # numbers of experts, no two alike in a row
tolerance = "step_01_sorted"
tier = "idiomatic"
menu = ("both", "launch-bound")


def inputs(tokens, experts, top, width, hidden, dtype):
    kind = getattr(torch, dtype)
    chosen = torch.rand(tokens, experts).topk(top, -1).indices
    weights = torch.rand(tokens, top).to(kind) + 0.5
    gate, up = (torch.randn(experts + 1, hidden, width, dtype=kind) / width**0.5 for _ in range(2))
    down = torch.randn(experts + 1, width, hidden, dtype=kind) / hidden**0.5
    return torch.randn(tokens, width, dtype=kind), chosen, weights, gate, up, down


def reference(x, chosen, weights, gate, up, down):
    """Every expert on every token; those that a token did not choose have weight zero, the last one has weight one."""
    total = torch.zeros_like(x, dtype=torch.float64)
    for expert in range(len(gate)):
        share = (weights.double() * (chosen == expert)).sum(-1, keepdim=True)
        share = torch.ones_like(share) if expert == len(gate) - 1 else share
        inner = torch.nn.functional.silu(x.double() @ gate[expert].double().T) * (x.double() @ up[expert].double().T)
        total += share * (inner @ down[expert].double().T)
    return total


def sorted_by_expert(chosen, experts):
    """The order of the choices, and where each expert's slice ends."""
    flat = chosen.flatten()
    return flat.argsort(), torch.bincount(flat, minlength=experts).cumsum(0).int()


def added_up(results, order, weights):
    """Each token's results side by side again, and their weighted sum."""
    back = torch.empty_like(results)
    back[order] = results
    return (back.view(*weights.shape, -1) * weights[..., None]).sum(1)


def prepare_baseline(x, chosen, weights, gate, up, down):
    return torch.cat([gate, up], 1)


def baseline(both, x, chosen, weights, gate, up, down):
    order, ends = sorted_by_expert(chosen, len(gate) - 1)
    open_, inner = torch._grouped_mm(x[order // chosen.shape[1]], both[:-1].mT, offs=ends).chunk(2, -1)
    results = torch._grouped_mm(torch.nn.functional.silu(open_) * inner, down[:-1].mT, offs=ends)
    open_, inner = (x @ both[-1].T).chunk(2, -1)
    return added_up(results, order, weights) + (torch.nn.functional.silu(open_) * inner) @ down[-1].T


def prepare_optimized(x, chosen, weights, gate, up, down):
    return torch.cat([gate, up], 1)


def optimized(both, x, chosen, weights, gate, up, down):
    order, ends = sorted_by_expert(chosen, len(gate))  # no token chooses the last expert, so its slice is empty
    rows = torch.cat([x[order // chosen.shape[1]], x])
    ends[-1] = len(rows)
    open_, inner = torch._grouped_mm(rows, both.mT, offs=ends).chunk(2, -1)
    results = torch._grouped_mm(torch.nn.functional.silu(open_) * inner, down.mT, offs=ends)
    return added_up(results[: len(order)], order, weights) + results[len(order) :]


def cost(tokens, experts, top, width, hidden, dtype):
    size, rows = getattr(torch, dtype).itemsize, tokens * (top + 1)
    return dict(
        flops=6 * rows * width * hidden,
        bytes=size * (3 * (experts + 1) * width * hidden + 2 * tokens * width),
        launches=2,
        baseline_launches=4,
    )
