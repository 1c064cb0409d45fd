"""Run a small model as a packaged graph, not from Python.

With small layers most of a call is Python: attribute look-ups, module calls and one dispatch after another. A
scripted and frozen module runs its graph without the interpreter, with the weights folded in as constants. An
exported program is a flat list of operators: still Python, but without the module calls. Packaging takes seconds,
once, in the preparation.
"""

import copy

import torch

workload = dict(batch=64, width=256)
workload_cpu = dict(batch=8, width=64)
smoke = dict(batch=3, width=9)
constant = ["model"]
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 products over width terms, eight layers, values near 1
tier = "idiomatic"


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, width)
        self.down = torch.nn.Linear(width, width)

    def forward(self, x):
        hidden = self.up(self.norm(x))
        return x + self.down(hidden * torch.sigmoid(hidden))


def inputs(batch, width):
    model = torch.nn.Sequential(*[Block(width) for _ in range(4)]).eval()
    return model, torch.randn(batch, width)


@torch.no_grad()
def reference(model, x):
    return copy.deepcopy(model).double()(x.double())


@torch.no_grad()
def baseline(model, x):
    return model(x)


def prepare_optimized(model, x):
    return torch.jit.freeze(torch.jit.script(model))


@torch.no_grad()
def optimized(packaged, model, x):
    return packaged(x)


def prepare_optimized_export(model, x):
    return torch.export.export(model, (x,)).module()


@torch.no_grad()
def optimized_export(packaged, model, x):
    return packaged(x)


def cost(batch, width):
    return dict(flops=16 * batch * width**2, bytes=4 * (8 * width**2 + 2 * batch * width), samples=batch)
