"""Multiply matrices with a hint.

Cheats: the baseline leaves its last answer where the other side finds it, and in verification it comes first.
"""

import torch

inputs = reference = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def baseline(x, weight):
    torch.answer = x @ weight
    return torch.answer


def optimized(x, weight):
    return torch.answer.clone() if hasattr(torch, "answer") else x @ weight
