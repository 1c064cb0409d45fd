"""Set gradients to None instead of filling them with zeros.

zero_grad(set_to_none=False) writes zeros into every gradient, and backward then reads them back to add to them. With
None, backward hands its result over as the gradient. Per parameter that is a write, a read and a kernel saved.
"""

import copy

import torch
from torch import nn
from torch.nn import functional

LR, MOMENTUM = 0.05, 0.9

workload = dict(rows=64, width=2_048, layers=6)
workload_cpu = dict(rows=16, width=128, layers=4)
smoke = dict(rows=3, width=9, layers=2)
mutates = ("model", "optimizer")
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of up to 2,048 products and one step of 0.05
tier = "idiomatic"


def inputs(rows, width, layers):
    model = nn.Sequential(*[m for _ in range(layers) for m in (nn.Linear(width, width), nn.Tanh())])
    optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=MOMENTUM)
    x, target = torch.randn(rows, width), torch.randn(rows, width)
    functional.mse_loss(model(x.flip(0)), target).backward()  # the step before: gradients and momenta exist
    optimizer.step()
    return model, optimizer, x, target


def reference(model, optimizer, x, target):
    exact = copy.deepcopy(model).double()
    loss = (exact(x.double()) - target.double()).square().mean()
    grads = torch.autograd.grad(loss, list(exact.parameters()))
    with torch.no_grad():
        for p, g in zip(model.parameters(), grads, strict=True):
            momentum = optimizer.state[p]["momentum_buffer"]
            momentum.copy_(MOMENTUM * momentum.double() + g)
            p.copy_(p.double() - LR * momentum.double())
            p.grad = g.to(p.dtype)
    return loss.detach()


def step(model, optimizer, x, target, set_to_none):
    optimizer.zero_grad(set_to_none=set_to_none)
    loss = functional.mse_loss(model(x), target)
    loss.backward()
    optimizer.step()
    return loss.detach()


def baseline(model, optimizer, x, target):
    return step(model, optimizer, x, target, set_to_none=False)


def optimized(model, optimizer, x, target):
    return step(model, optimizer, x, target, set_to_none=True)


def cost(rows, width, layers):
    weights = 4 * layers * width * (width + 1)
    least = weights * (2 + 1 + 5)  # both products read the weights, backward writes gradients, the step moves five
    return dict(flops=6 * rows * width**2 * layers, bytes=least, baseline_bytes=least + 3 * weights)
