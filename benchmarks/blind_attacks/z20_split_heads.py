"""Scale the queries and split them into heads without a copy."""

import torch

workload = workload_cpu = dict(b=4, s=256, h=16, d=64)
smoke = dict(b=2, s=17, h=3, d=8)
layout = "any"  # what consumes the heads accepts strides


def inputs(b, s, h, d):
    return torch.randn(b, s, h, d), torch.rand(h, 1) + 0.5


def baseline(q, scale):
    return (q * scale).permute(0, 2, 3, 1).contiguous()


def optimized(q, scale):
    return (q * scale).permute(0, 2, 3, 1)
