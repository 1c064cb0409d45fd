"""Sort tokens by expert and give each expert one slice, instead of searching its tokens in the batch.

The engine's plain layer asks per expert which tokens chose it: a search over all choices, a gather and a scattered
addition each, and the host waits for every size. One sort puts an expert's tokens side by side; one wait brings all
sizes. `optimized_grouped` leaves the loop to one grouped product, and nothing waits.
Predicts: the same products; searches and waits fall from one per expert to one.
No gain where: few experts have many tokens each; then the products are all of the time.
"""

import torch

from perfproof.engine.offline import llama_of, random_llama
from perfproof.engine.torch_kernels import add_experts, choose_experts, gated, linear, norm

workload = dict(tokens=2_048, experts=64, hidden=2_048, ffn=1_024, dtype="bfloat16")  # 768 MiB of weights
workload_cpu = dict(tokens=64, experts=32, hidden=64, ffn=64, dtype="float32")
smoke = dict(tokens=37, experts=7, hidden=64, ffn=40, dtype="float32")
constant = ("weights",)
tolerance = dict(
    bfloat16=dict(rtol=4e-2, atol=0.1),  # results near 1, rounded at 2**-8 in each of four products
    float32=dict(rtol=1e-4, atol=1e-4),  # sums of up to 2,048 products, rounded at 2**-24
)
tier = "idiomatic"
menu = ("inference", "host-bound")


def constants(experts, hidden, ffn, dtype):
    """One layer of experts of the engine's model; the router is steep, so that rounding does not choose an expert."""
    weights = random_llama(1, hidden, ffn, 8, getattr(torch, dtype), experts=experts)
    weights.layers[0].router *= 2
    return weights


def inputs(tokens, experts, hidden, ffn, dtype, weights):
    """Tokens whose second and third best expert are apart: rounding must not choose between them."""
    kept, model = [], llama_of(weights)
    while sum(map(len, kept)) < tokens:
        x = torch.randn(tokens, hidden, dtype=getattr(torch, dtype))
        best = scores_of(x.double(), weights, model).topk(3, -1).values
        kept.append(x[best[:, 1] - best[:, 2] > 0.1])
    return torch.cat(kept)[:tokens]


def scores_of(x, weights, model):
    layer = weights.layers[0]
    inner = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + model.eps) * layer.mlp_norm.double()
    return inner @ layer.router.double().T


def reference(x, weights):
    """Every expert on every token in double precision; experts that a token did not choose have weight zero."""
    layer, model, wide = weights.layers[0], llama_of(weights), x.double()
    inner = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + model.eps) * layer.mlp_norm.double()
    best, chosen = scores_of(wide, weights, model).softmax(-1).topk(model.shape.experts.active, -1)
    mixing = torch.zeros(len(x), model.shape.experts.count, dtype=wide.dtype, device=x.device)
    mixing.scatter_(1, chosen, best / best.sum(-1, keepdim=True))
    for expert in range(model.shape.experts.count):
        gate, up = (inner @ layer.gate_up[expert].double().T).chunk(2, -1)
        wide = wide + mixing[:, expert, None] * ((torch.nn.functional.silu(gate) * up) @ layer.down[expert].double().T)
    return wide


def prepare_baseline(x, weights):
    return llama_of(weights)


def baseline(model, x, weights):
    return add_experts(x, weights.layers[0], model)


def prepare_optimized(x, weights):
    return llama_of(weights)


def optimized(model, x, weights):
    layer = weights.layers[0]
    inner = norm(x, layer.mlp_norm, model.eps)
    shares, chosen = choose_experts(inner, layer, model)
    order = chosen.flatten().argsort()
    counts = torch.bincount(chosen.flatten(), minlength=model.shape.experts.count).tolist()  # the only wait
    slices = inner[order // chosen.shape[1]].split(counts)
    parts = [linear(gated(linear(one, layer.gate_up[at])), layer.down[at]) for at, one in enumerate(slices) if len(one)]
    return with_answers(x, torch.cat(parts), order, shares)


def prepare_optimized_grouped(x, weights):
    return llama_of(weights)


def optimized_grouped(model, x, weights):
    layer = weights.layers[0]
    inner = norm(x, layer.mlp_norm, model.eps)
    shares, chosen = choose_experts(inner, layer, model)
    order = chosen.flatten().argsort()
    ends = torch.bincount(chosen.flatten(), minlength=model.shape.experts.count).cumsum(0).int()
    rows = inner[order // chosen.shape[1]]
    wide = torch._grouped_mm(rows, layer.gate_up.mT, offs=ends)
    return with_answers(x, torch._grouped_mm(gated(wide), layer.down.mT, offs=ends), order, shares)


def with_answers(x, answers, order, shares):
    back = torch.empty_like(answers)
    back[order] = answers  # each token's answers side by side again
    return x + (back.view(len(x), shares.shape[1], -1) * shares.unsqueeze(-1)).sum(1)


def cost(tokens, experts, hidden, ffn, dtype):
    size = getattr(torch, dtype).itemsize
    return dict(
        flops=2 * tokens * (2 * 3 * hidden * ffn + experts * hidden),
        bytes=size * (experts * (3 * hidden * ffn + hidden) + 2 * tokens * hidden),
    )
