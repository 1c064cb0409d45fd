"""A call of three seconds: a sum that is taken forty times, against one product."""

import torch

workload = dict(n=3_000, terms=40)
smoke = dict(n=40, terms=40)


def inputs(n, terms):
    return torch.randn(n, n), torch.randn(n, n), terms


def baseline(a, b, terms):
    total = torch.zeros_like(a)
    for _ in range(terms):
        total = total + a * b
    return total @ b @ a


def optimized(a, b, terms):
    return (a * b) * terms @ b @ a
