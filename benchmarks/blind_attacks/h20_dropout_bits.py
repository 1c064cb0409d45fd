"""Draw one random bit for each element of a dropout mask, not one random number.

With a probability of one half the eight bits of a random byte are eight independent answers. None is used twice.
"""

import numpy as np
import torch

workload = dict(rows=128, cols=1024)
smoke = dict(rows=24, cols=100)
distribution = True


def inputs(rows, cols):
    return torch.rand(rows, cols) + 0.5


def baseline(x):
    return torch.nn.functional.dropout(x, 0.5)


def optimized(x):
    drawn = torch.randint(0, 256, (-(-x.numel() // 8),), dtype=torch.uint8)
    bits = torch.from_numpy(np.unpackbits(drawn.numpy())[: x.numel()])
    return (x * bits.view_as(x)).mul_(2)
