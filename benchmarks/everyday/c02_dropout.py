"""Call dropout, do not multiply by a Bernoulli mask of your own.

By hand, the probabilities are written, read to draw the mask, the mask is written and read again, and the division
makes one more temporary. F.dropout draws and scales the mask in place; on a GPU it is one kernel that reads x and
writes y. Both draw their own mask at every call, so the results are equal only in distribution.
"""

import torch
import torch.nn.functional as F

DROP = 0.1

workload = dict(rows=8_192, cols=4_096)
workload_cpu = dict(rows=256, cols=1_024)
smoke = dict(rows=5, cols=77)
distribution = True  # each call draws a new mask
tolerance = dict(rtol=1e-6, atol=1e-6)  # one product with 1/0.9, rounded at 2**-24
tier = "naive"


def inputs(rows, cols):
    return (torch.randn(rows, cols),)


def reference(x):
    kept = torch.rand(x.shape, dtype=torch.float64, device=x.device) >= DROP
    return torch.where(kept, x.double() / (1 - DROP), 0.0)


def baseline(x):
    mask = torch.bernoulli(torch.full_like(x, 1 - DROP))
    return x * mask / (1 - DROP)


def optimized(x):
    return F.dropout(x, DROP, training=True)


def cost(rows, cols):
    one = 4 * rows * cols
    return dict(flops=2 * rows * cols, bytes=2 * one, baseline_bytes=8 * one, optimized_bytes=6 * one)
