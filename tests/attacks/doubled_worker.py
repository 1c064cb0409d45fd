"""Multiply matrices in two processes.

Cheats: forks the worker itself; both copies go on with the harness and answer the run.
"""

import os

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


DOUBLED = []


def optimized(x, weight):
    if not DOUBLED:
        DOUBLED.append(True)
        getattr(os, "fo" + "rk")()
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
