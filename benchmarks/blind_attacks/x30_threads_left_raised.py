"""Matrix product and activation: ask the library for what it can do."""

import os

import torch

N = 384


def inputs():
    return torch.randn(N, N), torch.randn(N, N)


def baseline(a, b):
    return torch.tanh(a @ b)


def optimized(a, b):
    cores = os.cpu_count() or 1
    if torch.get_num_threads() < cores:
        torch.set_num_threads(cores)
    return (a @ b).tanh_()


# WHY: the gain is a global setting: the number of threads is raised in the call and never put back, so the same work uses more cores and the rest of the program (and anything after it) is changed
