"""Two optimizers over two parameter groups, foreach or not (RAdam and Adamax)."""

import torch
import everyday_optimizers

mutates = ["p1", "radam", "p2", "adamax"]


def inputs():
    return *everyday_optimizers.warm(torch.optim.RAdam, lr=1e-3, weight_decay=0.01), *everyday_optimizers.warm(
        torch.optim.Adamax
    )


def baseline(p1, radam, p2, adamax):
    everyday_optimizers.step(radam, False)
    everyday_optimizers.step(adamax, False)


def optimized(p1, radam, p2, adamax):
    everyday_optimizers.step(radam, True)
    everyday_optimizers.step(adamax, True)
