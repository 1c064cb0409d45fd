"""An MLP under bf16 autocast."""

import torch

lowers_precision = "bf16"
tolerance = dict(rtol=3e-2, atol=3e-2)
torch.backends.cudnn.benchmark = True
constant = ["net"]


def constants():
    return torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 64)).requires_grad_(
        False
    )


def inputs():
    return torch.randn(64, 128)


def baseline(x, net):
    return net(x)


def optimized(x, net):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return net(x).float()
