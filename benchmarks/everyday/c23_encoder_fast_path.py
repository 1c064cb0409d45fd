"""Run a transformer encoder layer in eval and inference mode: PyTorch then takes its fused path.

In training mode the layer goes operator by operator and records a graph that is never used. In eval mode
without gradients, nn.TransformerEncoderLayer calls one fused native operator. There is no dropout, so both give the
same answer.
"""

import copy

import torch

workload = dict(batch=32, length=512, dim=512, heads=8)
workload_cpu = dict(batch=4, length=64, dim=128, heads=4)
smoke = dict(batch=2, length=7, dim=24, heads=3)
constant = ["layer"]
tolerance = dict(rtol=1e-4, atol=2e-5)  # normalised rows near 1, after float32 products over up to 4 * dim terms
tier = "idiomatic"


def inputs(batch, length, dim, heads):
    layer = torch.nn.TransformerEncoderLayer(dim, heads, 4 * dim, dropout=0.0, activation="gelu", batch_first=True)
    return layer, torch.randn(batch, length, dim)


def reference(layer, x):
    return copy.deepcopy(layer).double().train()(x.double()).detach()


def prepare_baseline(layer, x):
    return copy.deepcopy(layer).train()


def baseline(model, layer, x):
    return model(x).detach()


def prepare_optimized(layer, x):
    return copy.deepcopy(layer).eval()


def optimized(model, layer, x):
    with torch.inference_mode():
        return model(x)


def cost(batch, length, dim, heads):
    tokens = batch * length
    flops = tokens * (24 * dim**2 + 4 * length * dim)
    return dict(flops=flops, bytes=4 * (2 * tokens * dim + 12 * dim**2), samples=tokens)
