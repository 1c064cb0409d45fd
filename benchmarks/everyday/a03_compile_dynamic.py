"""Compile with dynamic=True when batches have ragged lengths: one kernel serves all of them.

With static shapes every new length is a new compilation, until the limit is reached and eager mode is all that is
left. With a symbolic length the fused kernel is compiled once. Eager makes six passes over each batch, the fused
function little more than one.
"""

import torch

workload = dict(batches=16, longest=16_384, width=1_024)
workload_cpu = dict(batches=8, longest=512, width=128)
smoke = dict(batches=3, longest=19, width=20)
constant = ("scale", "shift")
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 means of up to 16,384 values near 1
tier = "idiomatic"


def pooled(x, scale, shift):
    return torch.nn.functional.silu(x * scale + shift).mean(0)


compiled = torch.compile(pooled, dynamic=True)


def inputs(batches, longest, width):
    lengths = torch.randint(longest // 4, longest + 1, (batches,)).tolist()
    return [torch.randn(length, width) for length in lengths], torch.rand(width) + 0.5, torch.randn(width)


def reference(ragged, scale, shift):
    rows = []
    for x in ragged:
        z = x.double() * scale.double() + shift.double()
        rows.append((z / (1 + torch.exp(-z))).mean(0))
    return torch.stack(rows)


def baseline(ragged, scale, shift):
    return torch.stack([pooled(x, scale, shift) for x in ragged])


def prepare_optimized(ragged, scale, shift):
    compiled(ragged[0], scale, shift)
    return compiled


def optimized(function, ragged, scale, shift):
    return torch.stack([function(x, scale, shift) for x in ragged])


def cost(batches, longest, width):
    elements = batches * (5 * longest // 8) * width  # the mean length
    return dict(flops=7 * elements, bytes=4 * elements, baseline_bytes=28 * elements, optimized_bytes=4 * elements)
