"""Normalise rows with one operator.

Honest: both sides take the mean away before they square, so a large mean costs neither its digits.
"""

import torch
import torch.nn.functional as F

workload = workload_cpu = dict(rows=64, width=512)
smoke = dict(rows=5, width=33)
constant = ("gain", "shift")
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 means of 512 squares, rounded at 2**-24
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.rand(width) + 0.5, torch.randn(width)


def reference(x, gain, shift):
    centred = x.double() - x.double().mean(-1, keepdim=True)
    spread = (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()
    return centred / spread * gain.double() + shift.double()


def baseline(x, gain, shift):
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + 1e-5) * gain + shift


def optimized(x, gain, shift):
    return F.layer_norm(x, x.shape[-1:], gain, shift)


def cost(rows, width):
    values = 4 * rows * width
    return dict(bytes=2 * values, baseline_bytes=12 * values)
