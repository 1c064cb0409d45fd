"""Send each token only to the rank that has its expert, instead of giving every token to every rank.

With experts spread over ranks, the simple way is to gather all tokens everywhere, let each rank compute its
own experts, and add the answers. An all-to-all sends a token's row to one rank and its answer back. The ranks must
first tell each other how many rows come, and the host waits for that.
Predicts: with two ranks and one expert per token, half of the rows cross the link; one small exchange more.
No gain where: tokens have as many experts as there are ranks (the bytes are then the same), or batches are small.
"""

import torch
import torch.distributed as dist

from perfproof.engine.offline import llama_of, random_llama
from perfproof.engine.torch_kernels import choose_experts, gated, norm

LATENCY_BYTES = 2e6  # bytes that a link moves in the time of one latency
workload = dict(tokens=8_192, experts=16, hidden=2_048, ffn=512, dtype="bfloat16")
workload_cpu = dict(tokens=512, experts=8, hidden=256, ffn=32, dtype="float32")  # 512 KiB of tokens per rank
smoke = dict(tokens=13, experts=6, hidden=64, ffn=40, dtype="float32")
ranks = 2
constant = ("weights",)
tolerance = dict(
    bfloat16=dict(rtol=4e-2, atol=0.1),  # results near 1, rounded at 2**-8 in each of three products
    float32=dict(rtol=1e-4, atol=1e-4),  # sums of up to 256 products, rounded at 2**-24
)
tier = "idiomatic"
menu = ("inference", "communication-bound")


def constants(experts, hidden, ffn, dtype):
    return random_llama(1, hidden, ffn, 8, getattr(torch, dtype), experts=experts, active=1)


def inputs(tokens, experts, hidden, ffn, dtype, weights):
    """Tokens whose best and second best expert are apart: rounding must not choose between them."""
    kept = []
    while sum(map(len, kept)) < tokens:
        x = torch.randn(tokens, hidden, dtype=getattr(torch, dtype))
        best = scores_of(x.double(), weights).topk(2, -1).values
        kept.append(x[best[:, 0] - best[:, 1] > 0.1])
    return torch.cat(kept)[:tokens]


def scores_of(wide, weights):
    layer = weights.layers[0]
    scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
    return wide * scale * layer.mlp_norm.double() @ layer.router.double().T


def reference(x, weights):
    """All experts on this rank's own tokens; the one that was chosen counts."""
    layer, wide = weights.layers[0], x.double()
    chosen, out = scores_of(wide, weights).argmax(-1), wide.clone()
    inner = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6) * layer.mlp_norm.double()
    for expert in range(len(layer.router)):
        gate, up = (inner @ layer.gate_up[expert].double().T).chunk(2, -1)
        answer = (torch.nn.functional.silu(gate) * up) @ layer.down[expert].double().T
        out += answer * (chosen == expert)[:, None]
    return out


def prepare_baseline(x, weights):
    return llama_of(weights, active=1)


def prepare_optimized(x, weights):
    return llama_of(weights, active=1)


def own_experts(rows, chosen, layer):
    """Answers of this rank's experts to the rows that chose one of them, and zeros for the others."""
    out, share = torch.zeros_like(rows), len(layer.router) // dist.get_world_size()
    for expert in range(dist.get_rank() * share, (dist.get_rank() + 1) * share):
        here = (chosen == expert).nonzero()[:, 0]
        out[here] = gated(rows[here] @ layer.gate_up[expert].T) @ layer.down[expert].T
    return out


def baseline(model, x, weights):
    layer, world = weights.layers[0], dist.get_world_size()
    inner = norm(x, layer.mlp_norm, model.eps)
    chosen = choose_experts(inner, layer, model)[1][:, 0]
    rows, choices = inner.new_empty(world * len(x), x.shape[1]), chosen.new_empty(world * len(x))
    dist.all_gather_into_tensor(rows, inner)
    dist.all_gather_into_tensor(choices, chosen)
    answers = own_experts(rows, choices, layer)
    own = torch.empty_like(inner)
    dist.reduce_scatter_tensor(own, answers)
    return x + own


def optimized(model, x, weights):
    layer, world = weights.layers[0], dist.get_world_size()
    inner = norm(x, layer.mlp_norm, model.eps)
    chosen = choose_experts(inner, layer, model)[1][:, 0]
    order = chosen.argsort()  # by expert, and so by rank
    leaving = torch.bincount(chosen * world // len(layer.router), minlength=world)
    coming = torch.empty_like(leaving)
    dist.all_to_all_single(coming, leaving)
    out, into = leaving.tolist(), coming.tolist()
    rows, choices = inner.new_empty(sum(into), x.shape[1]), chosen.new_empty(sum(into))
    dist.all_to_all_single(rows, inner[order], into, out)
    dist.all_to_all_single(choices, chosen[order], into, out)
    back = torch.empty_like(inner)
    dist.all_to_all_single(back, own_experts(rows, choices, layer), out, into)
    return x.index_add(0, order, back)


def cost(tokens, experts, hidden, ffn, dtype):
    """Latencies and rows on the link: three collectives and all rows twice, or four and half of them twice."""
    rows = getattr(torch, dtype).itemsize * tokens * hidden * (ranks - 1)
    return dict(predicted_optimized=(3 + 2 * rows / LATENCY_BYTES) / (4 + rows / LATENCY_BYTES))
