"""Blur rows and then columns if the kernel is an outer product, which is checked."""

import torch
from torch.nn.functional import conv2d

workload = workload_cpu = dict(h=256, w=256, k=31)
smoke = dict(h=61, w=47, k=9)


def inputs(h, w, k):
    s = 4.0 + 3 * torch.rand(2, 1)
    g = torch.exp(-0.5 * ((torch.arange(k) - k // 2) / s) ** 2)
    kernel = torch.outer(g[0], g[1])
    return torch.rand(h, w), kernel / kernel.sum()


def baseline(image, kernel):
    return conv2d(image[None, None], kernel[None, None], padding="same")[0, 0]


def optimized(image, kernel):
    at = int(kernel.abs().argmax())
    i, j = divmod(at, kernel.shape[1])
    top = kernel[i, j]
    if bool(top != 0):
        col, row = kernel[:, j], kernel[i] / top
        if bool(((torch.outer(col, row) - kernel).abs() <= 5e-7 * kernel.abs()).all()):
            x = conv2d(image[None, None], col[None, None, :, None], padding="same")
            return conv2d(x, row[None, None, None, :], padding="same")[0, 0]
    return baseline(image, kernel)
