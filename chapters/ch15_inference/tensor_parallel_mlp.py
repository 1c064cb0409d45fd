"""Split the weights of an MLP over the ranks: each reads half of them per step, and one sum puts the parts together.

Decoding a few tokens is bound by reading weights. Two ranks with the whole model each read all of it for their own
tokens. If each holds half, both compute all tokens with half of the bytes, and pay for an exchange of tokens before and
a sum after. Both sides end with each rank's own tokens.
Predicts: weights read per rank halve; two collectives of a few kilobytes come.
No gain where: the weights fit into the cache, or a collective takes as long as half of the weights.
"""

import torch
import torch.distributed as dist

from perfproof.engine.offline import llama_of, random_llama
from perfproof.engine.tensor_parallel import split_model
from perfproof.engine.torch_kernels import linear_add, norm_gated

LATENCY, BYTES_PER_SECOND = 30e-6, 3e12  # seconds of a collective; bandwidth of a GPU's memory
CPU_LATENCY, CPU_BYTES_PER_SECOND = 200e-6, 8e9  # gloo between processes; one core

workload = dict(tokens=4, hidden=8_192, ffn=28_672, dtype="bfloat16")  # 1.4 GB of weights
workload_cpu = dict(tokens=1, hidden=1_024, ffn=4_096, dtype="float32")  # 50 MB
smoke = dict(tokens=3, hidden=128, ffn=72, dtype="float32")
ranks = 2
constant = ("weights",)
tolerance = dict(
    bfloat16=dict(rtol=4e-2, atol=5e-2),  # results near 1, rounded at 2**-8 in three products and a sum
    float32=dict(rtol=1e-4, atol=1e-4),  # sums of up to 4,096 products, rounded at 2**-24
)
tier = "idiomatic"
menu = ("inference", "memory-bound")


def constants(hidden, ffn, dtype):
    """One layer of the engine's model, with two key-value heads at least: a head belongs to one rank."""
    return random_llama(1, hidden, ffn, 8, getattr(torch, dtype), head_dim=hidden // 8)


def inputs(tokens, hidden, ffn, dtype):
    return torch.randn(tokens, hidden, dtype=getattr(torch, dtype))


def reference(x, weights):
    """The whole layer on this rank's tokens."""
    layer, wide = weights.layers[0], x.double()
    scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
    gate, up = (wide * scale * layer.mlp_norm.double() @ layer.gate_up.double().T).chunk(2, -1)
    return wide + (torch.nn.functional.silu(gate) * up) @ layer.down.double().T


def prepare_baseline(x, weights):
    return llama_of(weights, head_dim=weights.embedding.shape[1] // 8)


def baseline(model, x, weights):
    layer = weights.layers[0]
    return linear_add(norm_gated(x, layer.mlp_norm, layer.gate_up, model.eps), layer.down, x)


def prepare_optimized(x, weights):
    model = llama_of(weights, head_dim=weights.embedding.shape[1] // 8)
    own, share = split_model(model, weights, dist.get_rank(), dist.get_world_size())
    return own, share.layers[0]


def optimized(prepared, x, weights):
    model, layer = prepared
    everyone = torch.empty(dist.get_world_size() * len(x), x.shape[1], dtype=x.dtype, device=x.device)
    dist.all_gather_into_tensor(everyone, x.contiguous())
    part = norm_gated(everyone, layer.mlp_norm, layer.gate_up, model.eps) @ layer.down.T
    dist.all_reduce(part)
    return x + part[dist.get_rank() * len(x) :][: len(x)]


def cost(tokens, hidden, ffn, dtype):
    whole = getattr(torch, dtype).itemsize * 3 * hidden * ffn
    latency, speed = (LATENCY, BYTES_PER_SECOND) if dtype == "bfloat16" else (CPU_LATENCY, CPU_BYTES_PER_SECOND)
    return dict(predicted_optimized=(whole / speed) / (whole / ranks / speed + 2 * latency))
