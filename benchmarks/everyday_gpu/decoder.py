"""A step of one token of a decoder, shared by pairs on decoding: its weights, the step, and it in double precision."""

import torch
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu

HEAD = 128


def make(layers, width, inner, length):
    """Random weights of so many layers, and the keys and values of the tokens before."""
    shapes = [(width + 2 * width // 4, width), (width, width), (2 * inner, width), (width, inner)]
    weights = [
        [torch.empty(shape, dtype=torch.bfloat16).normal_(std=0.5 * shape[1] ** -0.5) for shape in shapes]
        for _ in range(layers)
    ]
    keys, values = (torch.randn(layers, 1, width // 4 // HEAD, length, HEAD, dtype=torch.bfloat16) for _ in "kv")
    return weights, keys, values


def decode(weights, x, keys, values):
    width, few = x.shape[-1], keys.shape[2] * HEAD
    for number, (qkv, out, up, down) in enumerate(weights):
        q, k, v = (rms_norm(x, (width,)) @ qkv.T).split((width, few, few), -1)
        all_keys = torch.cat((keys[number], k.view(1, -1, 1, HEAD)), 2)
        all_values = torch.cat((values[number], v.view(1, -1, 1, HEAD)), 2)
        q = q.view(1, -1, 1, HEAD)
        seen = scaled_dot_product_attention(q, all_keys, all_values, enable_gqa=True)
        x = x + seen.flatten(1) @ out.T
        gate, wide = (rms_norm(x, (width,)) @ up.T).chunk(2, -1)
        x = x + (silu(gate) * wide) @ down.T
    return x


def decode_in_double(weights, x, keys, values):
    x = x.double()
    width, few = x.shape[-1], keys.shape[2] * HEAD
    for number, (qkv, out, up, down) in enumerate(weights):
        q, k, v = (norm(x) @ qkv.double().T).split((width, few, few), -1)
        all_keys = torch.cat((keys[number].double(), k.view(1, -1, 1, HEAD)), 2)
        all_values = torch.cat((values[number].double(), v.view(1, -1, 1, HEAD)), 2)
        groups = width // few
        q = q.view(1, -1, groups, HEAD)
        scores = (q @ all_keys.mT / HEAD**0.5).softmax(-1)
        x = x + (scores @ all_values).flatten(1) @ out.double().T
        gate, wide = (norm(x) @ up.double().T).chunk(2, -1)
        x = x + (gate * gate.sigmoid() * wide) @ down.double().T
    return x


def norm(x):
    return x / (x.square().mean(-1, keepdim=True) + 2**-7).sqrt()


def count(layers, width, inner, length):
    weights = layers * (width * (width + width // 2) + width * width + 3 * width * inner)
    cache = layers * 2 * length * width // 4
    return dict(flops=2 * weights, bytes=2 * (weights + cache))
