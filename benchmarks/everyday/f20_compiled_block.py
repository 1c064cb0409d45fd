"""torch.compile fuses bias, GELU, residual and layer norm."""

import torch
import torch.nn.functional as F

workload = dict(rows=512, width=768)
smoke = dict(rows=7, width=40)


def inputs(rows, width):
    x = torch.randn(rows, width)
    residual = torch.randn(rows, width)
    bias = torch.randn(width)
    gain = 1 + 0.1 * torch.randn(width)
    return x, residual, bias, gain


def baseline(x, residual, bias, gain):
    y = x + bias
    y = 0.5 * y * (1 + torch.tanh(0.7978845608 * (y + 0.044715 * y * y * y)))
    y = y + residual
    return F.layer_norm(y, (y.shape[-1],), gain)


optimized = torch.compile(baseline)
