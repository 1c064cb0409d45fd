"""A preparation of half a minute that waits, and whose outcome cannot be kept for the next process."""

import time

import torch

workload = dict(n=300)
smoke = dict(n=40)


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def baseline(a, b):
    return (a @ b) + (a @ b)


def prepare_optimized(a, b):
    time.sleep(30 if len(a) > 100 else 1)
    return lambda x: x * 2


def optimized(twice, a, b):
    return twice(a @ b)
