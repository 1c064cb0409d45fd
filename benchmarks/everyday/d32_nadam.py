"""NAdam with foreach."""

import torch
import everyday_optimizers

mutates = ["params", "opt"]


def inputs():
    return everyday_optimizers.warm(torch.optim.NAdam, lr=2e-3)


def baseline(params, opt):
    everyday_optimizers.step(opt, False)


def optimized(params, opt):
    everyday_optimizers.step(opt, True)
