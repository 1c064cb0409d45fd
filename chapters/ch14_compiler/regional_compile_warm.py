"""Expect less of compiling one block if the compiler's caches are warm: most of the saved work is cached anyway.

The same two sides as `regional_compile`, with the caches of earlier processes in place: code generation and compilation
are looked up. Tracing is still done in every process, and grows with the number of layers if the whole model is
compiled. So the gain is smaller in seconds. It is judged on its own, because a start with cold caches and one with warm
caches are different claims. Predicts: the ratio of the traced layers beside a fixed part. No gain where: the model has
few layers.
"""

import torch
from torch.nn.functional import rms_norm, silu

FIXED, LAYER = 1.0, 0.1  # seconds, assumed: of any compilation that is looked up, and of tracing a layer

workload = dict(layers=8, rows=512, width=1_024)
smoke = dict(layers=3, rows=5, width=24)
constant = ("weights",)
claim = "startup"
tolerance = dict(rtol=1e-3, atol=1e-4)  # float32 products of up to 4,096 terms through eight layers, values near 1
tier = "idiomatic"
needs = dict(cuda=7.0)  # as its sibling with empty caches: the two are read together
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


def prepare_baseline(x, weights):
    return torch.compile(model)


def baseline(compiled, x, weights):
    return compiled(x, weights, block)


def prepare_optimized(x, weights):
    return torch.compile(block)


def optimized(compiled, x, weights):
    return model(x, weights, compiled)


def cost(layers, rows, width):
    return dict(predicted_optimized=(FIXED + layers * LAYER) / (FIXED + LAYER))
