"""Compute query, key and value with one product instead of three.

All three read the same activations, and at decode the time is that of reading weights. The key and value matrices of
grouped-query attention are an eighth of the query's: too narrow to fill a GPU, and each product pays a launch and a
tail of its own. One product with the concatenated weights reads the same bytes in one go; the three results are views
of it.
Predicts: the same bytes; 3 launches become 1.
No gain where: many rows make each product long and full.
"""

import torch

workload = dict(rows=16, width=8_192, q_width=8_192, kv_width=1_024, dtype="bfloat16")  # 160 MiB of weights
workload_cpu = dict(rows=8, width=256, q_width=256, kv_width=64, dtype="float32")
smoke = dict(rows=5, width=77, q_width=77, kv_width=33, dtype="float32")
constant = ("w_q", "w_k", "w_v")
tolerance = dict(
    bfloat16=dict(rtol=1e-2, atol=1e-2),  # results near 1, rounded at 2**-8 (0.4 %)
    float32=dict(rtol=1e-5, atol=1e-5),  # sums of up to 256 products, rounded at 2**-24
)
layout = "any"  # attention kernels take strided heads: views of one result are what the lesson saves
tier = "idiomatic"
tour = True
menu = ("inference", "launch-bound")


def inputs(rows, width, q_width, kv_width, dtype):
    kind = getattr(torch, dtype)
    weights = (torch.randn(wide, width, dtype=kind) / width**0.5 for wide in (q_width, kv_width, kv_width))
    return torch.randn(rows, width, dtype=kind), *weights


def reference(x, w_q, w_k, w_v):
    wide = x.double()
    return wide @ w_q.double().T, wide @ w_k.double().T, wide @ w_v.double().T


def baseline(x, w_q, w_k, w_v):
    linear = torch.nn.functional.linear
    return linear(x, w_q), linear(x, w_k), linear(x, w_v)


def prepare_optimized(x, w_q, w_k, w_v):
    return torch.cat([w_q, w_k, w_v])


def optimized(w_all, x, w_q, w_k, w_v):
    return torch.nn.functional.linear(x, w_all).split([len(w_q), len(w_k), len(w_v)], -1)


def cost(rows, width, q_width, kv_width, dtype):
    size, wide = getattr(torch, dtype).itemsize, q_width + 2 * kv_width
    return dict(
        flops=2 * rows * width * wide,
        bytes=size * (width * wide + rows * (width + wide)),
        launches=1,
        baseline_launches=3,
    )
