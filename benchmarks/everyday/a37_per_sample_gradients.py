"""Compute per-sample gradients with vmap over torch.func.grad, not with a backward pass per sample.

A gradient per sample is needed for clipping (differential privacy) and for measures of influence. The loop runs the
small kernels of a forward and a backward pass once per sample; vmap runs batched ones once.
"""

import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional

workload = dict(batch=256, width=128, hidden=256, out=10)
workload_cpu = dict(batch=32, width=16, hidden=32, out=4)
smoke = dict(batch=3, width=5, hidden=6, out=2)
constant = ("model",)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of up to 256 products, gradients up to about 1
tier = "naive"


def inputs(batch, width, hidden, out):
    model = nn.Sequential(nn.Linear(width, hidden), nn.Tanh(), nn.Linear(hidden, out))
    return model, torch.randn(batch, width), torch.randn(batch, out)


def reference(model, x, target):
    w1, b1, w2, b2 = (p.detach().double() for p in model.parameters())
    x, target = x.double(), target.double()
    h = torch.tanh(x @ w1.T + b1)
    d_out = 2 * (h @ w2.T + b2 - target) / target.shape[1]
    d_hidden = d_out @ w2 * (1 - h**2)
    return {
        "0.weight": d_hidden[:, :, None] * x[:, None, :],
        "0.bias": d_hidden,
        "2.weight": d_out[:, :, None] * h[:, None, :],
        "2.bias": d_out,
    }


def baseline(model, x, target):
    names, params = zip(*model.named_parameters(), strict=True)
    samples = []
    for sample, wanted in zip(x, target, strict=True):
        samples.append(torch.autograd.grad(functional.mse_loss(model(sample), wanted), params))
    return {name: torch.stack(grads) for name, grads in zip(names, zip(*samples, strict=True), strict=True)}


def optimized(model, x, target):
    def loss(params, sample, wanted):
        return functional.mse_loss(functional_call(model, params, (sample,)), wanted)

    params = {name: p.detach() for name, p in model.named_parameters()}
    return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, target)


def cost(batch, width, hidden, out):
    weights = hidden * (width + out)
    return dict(flops=6 * batch * weights, bytes=4 * (batch + 1) * weights, baseline_bytes=20 * batch * weights)
