"""Decode with a cache that is allocated once, not with one that grows by a concatenation per token and layer.

The growing cache copies every earlier key and value in every step and layer and asks for new memory each time. The
static cache is as long as the sequence will be and takes one row per step. The rest of the step is equal.
"""

import copy

import torch
from torch import nn
from torch.nn import functional

NEW = 8  # tokens to decode

workload = dict(batch=32, prompt=1_024, width=512, heads=8, layers=4, vocab=1_024)
workload_cpu = dict(batch=2, prompt=128, width=64, heads=4, layers=2, vocab=256)
smoke = dict(batch=1, prompt=5, width=16, heads=2, layers=1, vocab=31)
constant = ("model",)
tolerance = dict(rtol=0, atol=0)  # token numbers: right or wrong
tier = "idiomatic"


class Tiny(nn.Module):
    def __init__(self, width, heads, layers, vocab, longest):
        super().__init__()
        self.heads, self.embed, self.place = heads, nn.Embedding(vocab, width), nn.Embedding(longest, width)
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens, start, caches, append):
        n = tokens.shape[1]
        x = self.embed(tokens) + self.place.weight[start : start + n]
        for qkv, cache in zip(self.qkv, caches, strict=True):
            q, k, v = qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            k, v = append(cache, k, v, start)
            x = x + functional.scaled_dot_product_attention(q, k, v, is_causal=n > 1).transpose(1, 2).flatten(2)
        return self.head(x[:, -1])


def grow(cache, k, v, start):
    cache["k"], cache["v"] = (torch.cat((cache[n], t), 2) if start else t for n, t in (("k", k), ("v", v)))
    return cache["k"], cache["v"]


def write(cache, k, v, start):
    end = start + k.shape[2]
    cache["k"][:, :, start:end], cache["v"][:, :, start:end] = k, v
    return cache["k"][:, :, :end], cache["v"][:, :, :end]


def decode(model, tokens, caches, append):
    start, made = 0, []
    for _ in range(NEW):
        made.append(model(tokens, start, caches, append).argmax(-1))
        start, tokens = start + tokens.shape[1], made[-1][:, None]
    return torch.stack(made, 1)


def inputs(batch, prompt, width, heads, layers, vocab):
    model = Tiny(width, heads, layers, vocab, prompt + NEW).eval().requires_grad_(False)
    return model, torch.randint(vocab, (batch, prompt))


def reference(model, prompt):
    model, tokens = copy.deepcopy(model).double(), prompt
    for _ in range(NEW):  # nothing is cached: the whole sequence again for each token
        logits = model(tokens, 0, [{} for _ in model.qkv], grow)
        tokens = torch.cat((tokens, logits.argmax(-1, keepdim=True)), 1)
    return tokens[:, -NEW:]


def baseline(model, prompt):
    return decode(model, prompt, [{} for _ in model.qkv], grow)


def optimized(model, prompt):
    weight = model.head.weight
    shape = (prompt.shape[0], model.heads, prompt.shape[1] + NEW, weight.shape[1] // model.heads)
    caches = [dict(k=weight.new_empty(shape), v=weight.new_empty(shape)) for _ in model.qkv]
    return decode(model, prompt, caches, write)


def cost(batch, prompt, width, heads, layers, vocab):
    cached = 2 * batch * prompt * width * 4 * layers
    flops = 6 * batch * prompt * width**2 * layers
    return dict(flops=flops, bytes=cached * (NEW + 1), baseline_bytes=cached * (NEW + 1 + 2 * (NEW - 1)))
