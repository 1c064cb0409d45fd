"""Sort tokens by expert and split them, instead of masking all tokens once per expert.

The mask loop looks at every token for every expert and gathers and scatters by boolean masks, each of which counts its
ones first (and on a GPU waits for the count). One sort puts each expert's tokens side by side; slices are free.
"""

import torch

workload = dict(tokens=16_384, experts=64, width=512)
workload_cpu = dict(tokens=1_024, experts=32, width=32)
smoke = dict(tokens=19, experts=4, width=6)
constant = ("experts",)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of up to 512 products, results near 1
tier = "naive"


def inputs(tokens, experts, width):
    weights = torch.randn(experts, width, width) / width**0.5
    return torch.randn(tokens, width), torch.randint(experts, (tokens,)), torch.rand(tokens), weights


def reference(x, choice, gate, experts):
    rows = [x[i].double() @ experts[e].double() * gate[i].double() for i, e in enumerate(choice.tolist())]
    return torch.stack(rows)


def baseline(x, choice, gate, experts):
    out = torch.zeros_like(x)
    for number, weight in enumerate(experts):
        mask = choice == number
        out[mask] = (x[mask] @ weight) * gate[mask, None]
    return out


def optimized(x, choice, gate, experts):
    order = torch.argsort(choice)
    counts = torch.bincount(choice, minlength=len(experts)).tolist()
    parts = x[order].split(counts)
    mixed = torch.cat([part @ weight for part, weight in zip(parts, experts, strict=True)])
    out = torch.empty_like(x)
    out[order] = mixed
    return out.mul_(gate[:, None])


def cost(tokens, experts, width):
    array = 4 * tokens * width
    least = 2 * array + 4 * experts * width**2
    masks = experts * tokens * (8 + 4)
    flops = 2 * tokens * width**2
    return dict(flops=flops, bytes=least, baseline_bytes=least + 6 * array + masks, optimized_bytes=least + 8 * array)
