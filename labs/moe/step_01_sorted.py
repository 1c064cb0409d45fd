"""Sort tokens by expert once, instead of searching every expert's tokens in the whole batch.

The loop asks per expert which tokens chose it, gathers them and adds the results back: a search over all choices, a
wait for the size of the answer, and a scattered addition, each as often as there are experts. One sort puts the
tokens of an expert side by side; the experts then work on slices, and one wait brings all sizes.
Predicts: the same products; waits and searches fall from one per expert to one.
No gain where: there are few experts with many tokens each.
"""

import torch

workload = dict(tokens=4_096, experts=64, top=4, width=2_048, hidden=1_024, dtype="bfloat16")  # 768 MiB of weights
workload_cpu = dict(tokens=128, experts=32, top=2, width=64, hidden=64, dtype="float32")
# Widths of eights, as grouped products want.
smoke = dict(tokens=37, experts=7, top=2, width=24, hidden=40, dtype="bfloat16")
constant = ("gate", "up", "down")
domain = dict(chosen="drawn")  # numbers of experts, no two alike in a row
tolerance = dict(
    bfloat16=dict(rtol=4e-2, atol=0.1),  # results near 1: 0.5 % on average, 7 % at worst where large terms cancel
    float32=dict(rtol=1e-4, atol=1e-5),  # sums of up to 1,024 products, rounded at 2**-24
)
tier = "idiomatic"
menu = ("both", "host-bound")


def inputs(tokens, experts, top, width, hidden, dtype):
    kind = getattr(torch, dtype)
    chosen = torch.rand(tokens, experts).topk(top, -1).indices
    weights = torch.rand(tokens, top).to(kind) + 0.5
    gate, up = (torch.randn(experts, hidden, width, dtype=kind) / width**0.5 for _ in range(2))
    down = torch.randn(experts, width, hidden, dtype=kind) / hidden**0.5
    return torch.randn(tokens, width, dtype=kind), chosen, weights, gate, up, down


def reference(x, chosen, weights, gate, up, down):
    """Every expert on every token; those that a token did not choose have weight zero."""
    total = torch.zeros_like(x, dtype=torch.float64)
    for expert in range(len(gate)):
        share = (weights.double() * (chosen == expert)).sum(-1, keepdim=True)
        inner = torch.nn.functional.silu(x.double() @ gate[expert].double().T) * (x.double() @ up[expert].double().T)
        total += share * (inner @ down[expert].double().T)
    return total


def apply_expert(x, gate, up, down):
    return (torch.nn.functional.silu(x @ gate.T) * (x @ up.T)) @ down.T


def baseline(x, chosen, weights, gate, up, down):
    out = torch.zeros_like(x)
    for expert in range(len(gate)):
        row, slot = torch.where(chosen == expert)  # waits for the device: how many are there?
        result = apply_expert(x[row], gate[expert], up[expert], down[expert])
        out.index_add_(0, row, result * weights[row, slot, None])
    return out


def optimized(x, chosen, weights, gate, up, down):
    order = chosen.flatten().argsort()
    counts = torch.bincount(chosen.flatten(), minlength=len(gate)).tolist()  # the only wait
    parts = x[order // chosen.shape[1]].split(counts)
    results = torch.cat([apply_expert(*one) for one in zip(parts, gate, up, down, strict=True)])
    back = torch.empty_like(results)
    back[order] = results  # each token's results side by side again
    return (back.view(*chosen.shape, -1) * weights[..., None]).sum(1)


def cost(tokens, experts, top, width, hidden, dtype):
    size, rows = getattr(torch, dtype).itemsize, tokens * top
    return dict(flops=6 * rows * width * hidden, bytes=size * (3 * experts * width * hidden + 2 * tokens * width))
