"""Multiply matrices without recording gradients, at the precision that is wanted.

Honest: every switch is put back before it returns.
"""

import decimal
import gc

import numpy
import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def optimized(x, weight):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    gc.disable()
    try:
        with (
            torch.no_grad(),
            torch.autograd.set_detect_anomaly(False),
            decimal.localcontext(prec=9),
            numpy.errstate(over="ignore"),
        ):
            return x @ weight
    finally:
        torch.set_float32_matmul_precision(before)
        gc.enable()
