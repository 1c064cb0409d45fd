"""Multiply matrices with the settings that programs begin with.

Honest: the file sets them on import, so they hold for all of its sides.
"""

import gc
import os

import torch

workload = dict(n=128)
os.environ["TOKENIZERS_PARALLELISM"] = "false"
torch.set_float32_matmul_precision("high")
torch.backends.cudnn.benchmark = True
torch.set_grad_enabled(False)
gc.disable()


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def baseline(x, weight):
    return torch.mm(x, weight)


def optimized(x, weight):
    return x @ weight
