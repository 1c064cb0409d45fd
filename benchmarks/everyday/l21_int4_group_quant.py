"""Quantise weights to packed 4-bit integers, 32 to a scale, without a loop over groups."""

import torch

GROUP = 32

workload = dict(rows=64, cols=512)
smoke = dict(rows=5, cols=96)


def inputs(rows, cols):
    return torch.randn(rows, cols) * 0.02


def baseline(w):
    rows, cols = w.shape
    q = torch.zeros(rows, cols, dtype=torch.uint8)
    scales = torch.zeros(rows, cols // GROUP, dtype=w.dtype)
    for g in range(cols // GROUP):
        for r in range(rows):
            block = w[r, g * GROUP : (g + 1) * GROUP]
            scale = block.abs().max() / 7
            if scale == 0:
                scale = torch.ones_like(scale)
            scales[r, g] = scale
            q[r, g * GROUP : (g + 1) * GROUP] = (torch.round(block / scale) + 8).to(torch.uint8)
    packed = q[:, 0::2] | (q[:, 1::2] << 4)
    return packed, scales


def optimized(w):
    rows, cols = w.shape
    blocks = w.reshape(rows, cols // GROUP, GROUP)
    scales = blocks.abs().amax(-1) / 7
    scales = torch.where(scales == 0, torch.ones_like(scales), scales)
    q = (torch.round(blocks / scales[..., None]) + 8).to(torch.uint8).reshape(rows, cols // 2, 2)
    return q[..., 0] | (q[..., 1] << 4), scales
