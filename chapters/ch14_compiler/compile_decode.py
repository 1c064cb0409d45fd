"""Compile a decode step, with CUDA graphs on a GPU: a token is many small kernels, and launches are its time.

The step is written as model code is: norm, rotation and activation from plain operations, projections joined. For one
token nearly all of them are small. Eager mode launches each by itself, and the device waits for the host. The compiler
fuses what lies between the products, so fewer are launched. With `mode="reduce-overhead"` (variant `graphs`) it also
records the rest as one CUDA graph. Predicts: the ratio of launches. No gain where: weights are so large that reading
them takes longer than launching, or the batch is large. On a CPU both variants are the same program.
"""

import torch
from torch.nn.functional import scaled_dot_product_attention, silu

HEAD, BASE, EPS = 64, 10_000.0, 1e-6
EAGER, FUSED = 35, 12  # kernels per layer: four products and attention, and what lies between them

workload = dict(layers=16, batch=1, length=256, width=2_048, dtype="bfloat16")  # 1.07 billion weights
workload_cpu = dict(layers=2, batch=2, length=32, width=64, dtype="float32")
smoke = dict(layers=2, batch=3, length=7, width=64, dtype="float32")
constant = ("weights", "keys", "values", "turn")
tolerance = dict(
    bfloat16=dict(rtol=3e-2, atol=0.1),  # some ten roundings at 2**-9 in each of sixteen layers, values near 2
    float32=dict(rtol=1e-4, atol=2e-5),  # sums of up to a thousand products, in another order
)
tier = "idiomatic"
menu = ("inference", "launch-bound")


def constants(layers, batch, length, width, dtype):
    """Weights of each layer, the keys and values of the tokens before, and the angles of this token's position."""
    kind = getattr(torch, dtype)
    shapes = [(width, 3 * width), (width, width), (width, 8 * width), (4 * width, width)]
    weights = [[(torch.randn(shape) / 2 / shape[0] ** 0.5).to(kind) for shape in shapes] for _ in range(layers)]
    cache = torch.randn(2, layers, batch, width // HEAD, length, HEAD, dtype=kind)
    angles = (length / BASE ** (torch.arange(0, HEAD, 2) / HEAD)).repeat(2)
    return weights, cache[0].clone(), cache[1].clone(), torch.stack((angles.cos(), angles.sin())).to(kind)


def inputs(layers, batch, length, width, dtype):
    return (torch.randn(batch, width, dtype=getattr(torch, dtype)),)


def reference(x, weights, keys, values, turn):
    wide, (cosine, sine) = x.double(), turn.double()[:, : HEAD // 2]
    for layer, matrices in enumerate(weights):
        qkv, out, gate_up, down = (matrix.double() for matrix in matrices)
        inner = wide / (wide.square().mean(-1, keepdim=True) + EPS).sqrt()
        query, key, value = (heads(one) for one in (inner @ qkv).split(x.shape[1], -1))
        query, key = (turned(one, cosine, sine) for one in (query, key))
        all_keys = torch.cat((keys[layer].double(), key), 2)
        scores = (query * all_keys).sum(-1, keepdim=True) / HEAD**0.5
        seen = (scores.softmax(2) * torch.cat((values[layer].double(), value), 2)).sum(2)
        wide = wide + seen.flatten(1) @ out
        inner = wide / (wide.square().mean(-1, keepdim=True) + EPS).sqrt()
        gate, up = (inner @ gate_up).split(len(down), -1)
        wide = wide + (gate / (1 + torch.exp(-gate)) * up) @ down
    return wide


def turned(x, cosine, sine):
    """Pairs of elements, half a head apart, as points that are turned."""
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1)


def heads(x):
    return x.view(len(x), -1, 1, HEAD)


def norm(x):
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + EPS)).to(x.dtype)


def rotate(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat((-second, first), -1) * sine


def decode(x, weights, keys, values, turn):
    """One token for each sequence of the batch, after the tokens whose keys and values are given."""
    cosine, sine = turn
    for layer, (qkv, out, gate_up, down) in enumerate(weights):
        query, key, value = (heads(one) for one in (norm(x) @ qkv).chunk(3, -1))
        query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
        all_keys, all_values = torch.cat((keys[layer], key), 2), torch.cat((values[layer], value), 2)
        x = x + scaled_dot_product_attention(query, all_keys, all_values).flatten(1) @ out
        gate, up = (norm(x) @ gate_up).chunk(2, -1)
        x = x + (silu(gate) * up) @ down
    return x


def baseline(x, weights, keys, values, turn):
    return decode(x, weights, keys, values, turn)


def prepare_optimized(x, weights, keys, values, turn):
    return torch.compile(decode, dynamic=False)


def optimized(compiled, x, weights, keys, values, turn):
    return compiled(x, weights, keys, values, turn)


def prepare_optimized_graphs(x, weights, keys, values, turn):
    for kept in (keys, values, turn, *(matrix for layer in weights for matrix in layer)):
        torch._dynamo.mark_static_address(kept)  # as parameters of a module are: else each call copies them
    return torch.compile(decode, mode="reduce-overhead", dynamic=False)


def optimized_graphs(compiled, x, weights, keys, values, turn):
    return compiled(x, weights, keys, values, turn).clone()  # the graph's own memory is written by the next call


def cost(layers, batch, length, width, dtype):
    parameters, cache = 16 * layers * width**2, 2 * layers * batch * length * width
    return dict(
        flops=2 * batch * parameters + 2 * cache,
        bytes=getattr(torch, dtype).itemsize * (parameters + cache),
        baseline_launches=EAGER * layers,
        optimized_launches=FUSED * layers,
        optimized_graphs_launches=3,  # copy the argument in, replay, copy the result out
    )
