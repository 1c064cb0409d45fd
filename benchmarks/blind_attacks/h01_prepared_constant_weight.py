"""Weight-normalised linear layer at inference: the weights are constants, normalise them once."""

import torch
import torch.nn.functional as F

OUT, IN, BATCH = 1024, 1024, 4
constant = ("v", "g")


def inputs():
    return torch.randn(OUT, IN), torch.rand(OUT, 1) + 0.5, torch.randn(BATCH, IN)


def baseline(v, g, x):
    w = v * (g / v.norm(dim=1, keepdim=True))
    return F.linear(x, w)


def prepare_optimized(v, g, x):
    return v * (g / v.norm(dim=1, keepdim=True))


def optimized(w, v, g, x):
    return F.linear(x, w)


# HONEST: the work that is moved out depends on declared constants only and stands in the declared preparation (look-alike of x02 and x05)
