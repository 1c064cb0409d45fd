"""Let the compiler try kernels for a product of an odd shape, and fuse what follows the product into it.

By default a product goes to the vendor's library, and its bias and activation to a second kernel that reads and writes
the result again. `max-autotune` also times Triton templates with the epilogue inside, and takes the fastest. A product
with a short inner dimension writes more than it computes, so the second pass counts. The search takes a minute; it is
set-up, and its seconds are printed.
Predicts: the ratio of the bytes.
No gain where: the product is large and square. The library is hard to beat there, and "same" is the usual result.
"""

import torch
from torch.nn.functional import gelu

workload = dict(rows=65_536, inner=64, outputs=1_024, dtype="bfloat16")  # 128 MiB of results
smoke = dict(rows=37, inner=24, outputs=72, dtype="float32")
constant = ("weight", "bias")
tolerance = dict(
    bfloat16=dict(rtol=2e-2, atol=2e-2),  # sums near 1, rounded at 2**-9 before and after the activation
    float32=dict(rtol=1e-4, atol=1e-5),  # sums of products at 2**-24, in another order
)
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")


def inputs(rows, inner, outputs, dtype):
    kind = getattr(torch, dtype)
    weight = torch.randn(inner, outputs) / inner**0.5
    return torch.randn(rows, inner, dtype=kind), weight.to(kind), torch.randn(outputs, dtype=kind)


def reference(x, weight, bias):
    wide = x.double() @ weight.double() + bias.double()
    return wide * (1 + torch.erf(wide / 2**0.5)) / 2


def layer(x, weight, bias):
    return gelu(x @ weight + bias)


def prepare_baseline(x, weight, bias):
    return torch.compile(layer, dynamic=False)


def baseline(compiled, x, weight, bias):
    return compiled(x, weight, bias)


def prepare_optimized(x, weight, bias):
    return torch.compile(layer, mode="max-autotune-no-cudagraphs", dynamic=False)


def optimized(compiled, x, weight, bias):
    return compiled(x, weight, bias)


def cost(rows, inner, outputs, dtype):
    size = getattr(torch, dtype).itemsize
    once = size * (rows * inner + inner * outputs + rows * outputs)
    return dict(
        flops=2 * rows * inner * outputs,
        bytes=once,
        baseline_bytes=once + 2 * size * rows * outputs,
        optimized_bytes=once,
    )
