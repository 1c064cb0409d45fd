"""Compile one block and call it for every layer, instead of compiling the whole model: it starts sooner.

All layers of a transformer have the same code and shapes. Compiled as a whole, they are unrolled: tracing, fusing and
code generation grow with the number of layers. Compiled once as a block, all layers use the same kernels. What is lost
is fusion across the border of two blocks, one addition each. Caches are empty here; `regional_compile_warm` has the
same claim with warm ones. Predicts: the time to trace a layer times the layers, over one layer, beside a fixed part. No
gain where: the model has one layer, or starts once a week.
"""

from contextlib import nullcontext

import torch
from torch._inductor.utils import fresh_cache
from torch.nn.functional import rms_norm, silu

FIXED, LAYER = 2.0, 0.5  # seconds, assumed: of any compilation, and of each layer in it

workload = dict(layers=8, rows=512, width=1_024)
smoke = dict(layers=3, rows=5, width=24)
constant = ("weights",)
claim = "startup"
tolerance = dict(rtol=1e-3, atol=1e-4)  # float32 products of up to 4,096 terms through eight layers, values near 1
tier = "idiomatic"
needs = dict(cuda=7.0)  # a CPU kernel takes ten seconds to compile: ten starts of each side are more than a run's time
menu = ("both", "compile-bound")


def inputs(layers, rows, width):
    shapes = [(width, 8 * width), (4 * width, width)]
    weights = [[torch.randn(shape) / 2 / shape[0] ** 0.5 for shape in shapes] for _ in range(layers)]
    return torch.randn(rows, width), weights


def block(x, up, down):
    gate, wide = (rms_norm(x, x.shape[-1:], eps=1e-6) @ up).chunk(2, -1)
    return x + (silu(gate) * wide) @ down


def model(x, weights, one_block):
    for up, down in weights:
        x = one_block(x, up, down)
    return x


def reference(x, weights):
    wide = x.double()
    for up, down in weights:
        normed = wide / (wide.square().mean(-1, keepdim=True) + 1e-6).sqrt()
        gate, linear = (normed @ up.double()).chunk(2, -1)
        wide = wide + (gate / (1 + torch.exp(-gate)) * linear) @ down.double()
    return wide


def empty_caches_once():
    """Gives empty caches to the first call, which compiles, and does nothing for later ones."""
    contexts = [fresh_cache()]
    return lambda: contexts.pop() if contexts else nullcontext()


def prepare_baseline(x, weights):
    return torch.compile(model), empty_caches_once()


def baseline(prepared, x, weights):
    compiled, caches = prepared
    with caches():
        return compiled(x, weights, block)


def prepare_optimized(x, weights):
    return torch.compile(block), empty_caches_once()


def optimized(prepared, x, weights):
    compiled, caches = prepared
    with caches():
        return model(x, weights, compiled)


def cost(layers, rows, width):
    return dict(predicted_optimized=(FIXED + layers * LAYER) / (FIXED + LAYER))
