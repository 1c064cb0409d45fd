"""Multiply in bf16 instead of float32 where 8 significant bits are enough.

The weight is kept in bf16 from the start, the activations are converted in each call. Half the bytes for the weight,
and with tensor cores or AMX many times the flops. Without such units expect little or a loss.
"""

import torch

workload = dict(rows=4_096, inner=4_096, cols=4_096)
workload_cpu = dict(rows=64, inner=512, cols=512)
smoke = dict(rows=5, inner=33, cols=17)
constant = ("weight",)
lowers_precision = "bf16"
tolerance = dict(rtol=2**-7, atol=2**-6)  # bf16 rounds both arguments and the result at 2**-9; results near 1
tier = "vendor"


def inputs(rows, inner, cols):
    return torch.randn(rows, inner), torch.randn(inner, cols) / inner**0.5


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def prepare_optimized(x, weight):
    return weight.bfloat16()


def optimized(weight16, x, weight):
    return (x.bfloat16() @ weight16).float()


def cost(rows, inner, cols):
    least = 4 * (rows * inner + inner * cols + rows * cols)
    return dict(
        flops=2 * rows * inner * cols,
        bytes=least,
        baseline_bytes=least,
        optimized_bytes=8 * rows * inner + 2 * inner * cols + 8 * rows * cols,
    )
