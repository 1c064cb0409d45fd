"""Compile a decode step, with CUDA graphs on a GPU: a token is many small kernels, and launches are its time.

For one token a layer does matrix-vector products and a dozen small operations. Eager mode launches each by itself, and
the device waits for the host. The compiler fuses what lies between the products, so fewer are launched. With
`mode="reduce-overhead"` (the variant `graphs`) it also records the rest as one CUDA graph. Predicts: the ratio of
launches. No gain where: weights are so large that reading them takes longer than launching, or the batch is large. On a
CPU there is no graph to record, so both variants are the same program there.
"""

import torch
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu

HEAD = 64
EAGER, FUSED = 19, 8  # kernels per layer: four products and attention, and what lies between them

workload = dict(layers=16, batch=1, length=256, width=2_048, dtype="bfloat16")  # 1.07 billion weights
workload_cpu = dict(layers=2, batch=2, length=32, width=64, dtype="float32")
smoke = dict(layers=2, batch=3, length=7, width=64, dtype="float32")
constant = ("weights", "keys", "values")
tolerance = dict(
    bfloat16=dict(rtol=3e-2, atol=0.1),  # some ten roundings at 2**-9 in each of sixteen layers, values near 2
    float32=dict(rtol=1e-4, atol=2e-5),  # sums of up to a thousand products, in another order
)
tier = "idiomatic"
menu = ("inference", "launch-bound")


def constants(layers, batch, length, width, dtype):
    kind = getattr(torch, dtype)
    shapes = [(width, 3 * width), (width, width), (width, 8 * width), (4 * width, width)]
    weights = [[(torch.randn(shape) / 2 / shape[0] ** 0.5).to(kind) for shape in shapes] for _ in range(layers)]
    cache = torch.randn(2, layers, batch, width // HEAD, length, HEAD, dtype=kind)
    return weights, cache[0].clone(), cache[1].clone()


def inputs(layers, batch, length, width, dtype):
    return (torch.randn(batch, width, dtype=getattr(torch, dtype)),)


def reference(x, weights, keys, values):
    wide = x.double()
    for layer, (qkv, out, up, down) in enumerate(weights):
        query, key, value = (normed(wide) @ qkv.double()).view(len(x), 3, -1, 1, HEAD).unbind(1)
        all_keys = torch.cat((keys[layer].double(), key), 2)
        scores = (query * all_keys).sum(-1, keepdim=True) / HEAD**0.5
        seen = (scores.softmax(2) * torch.cat((values[layer].double(), value), 2)).sum(2)
        wide = wide + seen.flatten(1) @ out.double()
        gate, linear = (normed(wide) @ up.double()).chunk(2, -1)
        wide = wide + (gate / (1 + torch.exp(-gate)) * linear) @ down.double()
    return wide


def normed(x):
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()


def decode(x, weights, keys, values):
    """One token for each sequence of the batch, after the tokens whose keys and values are given."""
    for layer, (qkv, out, up, down) in enumerate(weights):
        query, key, value = (rms_norm(x, x.shape[-1:], eps=1e-6) @ qkv).view(len(x), 3, -1, 1, HEAD).unbind(1)
        all_keys, all_values = torch.cat((keys[layer], key), 2), torch.cat((values[layer], value), 2)
        seen = scaled_dot_product_attention(query, all_keys, all_values)
        x = x + seen.flatten(1) @ out
        gate, wide = (rms_norm(x, x.shape[-1:], eps=1e-6) @ up).chunk(2, -1)
        x = x + (silu(gate) * wide) @ down
    return x


def baseline(x, weights, keys, values):
    return decode(x, weights, keys, values)


def prepare_optimized(x, weights, keys, values):
    return torch.compile(decode, dynamic=False)


def optimized(compiled, x, weights, keys, values):
    return compiled(x, weights, keys, values)


def prepare_optimized_graphs(x, weights, keys, values):
    for kept in (keys, values, *(matrix for layer in weights for matrix in layer)):
        torch._dynamo.mark_static_address(kept)  # as parameters of a module are: else each call copies them
    return torch.compile(decode, mode="reduce-overhead", dynamic=False)


def optimized_graphs(compiled, x, weights, keys, values):
    return compiled(x, weights, keys, values).clone()  # the graph's own memory is written by the next call


def cost(layers, batch, length, width, dtype):
    parameters, cache = 16 * layers * width**2, 2 * layers * batch * length * width
    return dict(
        flops=2 * batch * parameters + 2 * cache,
        bytes=getattr(torch, dtype).itemsize * (parameters + cache),
        baseline_launches=EAGER * layers,
        optimized_launches=FUSED * layers,
        optimized_graphs_launches=3,  # copy the argument in, replay, copy the result out
    )
