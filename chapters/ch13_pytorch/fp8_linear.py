"""Multiply in fp8 with one scale per row, if three bits of mantissa are enough for the layer.

Tensor cores of Hopper and newer do twice as many fp8 products per second as bfloat16 ones. The weight is converted
once. Activations are converted in every call: the largest value per row, a division and a cast, 17 bytes per value.
That pays only if many outputs share them. Predicts: 2x less the conversion, about 1.6x at these sizes. No gain where:
there are few rows, because then the weight's bytes decide, or few outputs. The price is the answer: an error of about 4
% of its scale, declared and checked.
"""

import torch

LARGEST = 448.0  # of E4M3

workload = dict(rows=8_192, width=4_096, outputs=14_336)
smoke = dict(rows=37, width=96, outputs=80)  # the library wants widths in multiples of 16; rows are ragged
constant = ("weight",)
lowers_precision = "fp8"
tolerance = dict(rtol=0.1, atol=0.3)  # sums near 1 of products rounded at 2**-4: 0.04 off, and 0.25 in one of 1e8
tier = "vendor"
needs = dict(cuda=9.0)
menu = ("both", "compute-bound")


def inputs(rows, width, outputs):
    x = torch.randn(rows, width, dtype=torch.bfloat16)
    return x, (torch.randn(outputs, width) / width**0.5).to(torch.bfloat16)


def reference(x, weight):
    return x.double() @ weight.double().T


def baseline(x, weight):
    return x @ weight.T


def in_fp8(x):
    """Values and one scale per row: a row's largest value becomes the largest of the format."""
    scale = x.abs().amax(-1, keepdim=True).float().clamp(min=1e-12) / LARGEST
    return (x / scale).to(torch.float8_e4m3fn), scale


def prepare_optimized(x, weight):
    return in_fp8(weight)


def optimized(prepared, x, weight):
    small, scale = prepared
    left, left_scale = in_fp8(x.contiguous())
    return torch._scaled_mm(left, small.T, left_scale, scale.T, out_dtype=torch.bfloat16)


def cost(rows, width, outputs):
    conversion = 17 * rows * width  # absolute value 2 + 2 bytes, maximum 2, division 2 + 4, cast 4 + 1
    return dict(
        flops=2 * rows * width * outputs,
        bytes=2 * (rows * width + rows * outputs) + outputs * width,
        baseline_bytes=2 * (rows * width + width * outputs + rows * outputs),
        optimized_bytes=conversion + rows * width + outputs * width + 2 * rows * outputs,
    )
