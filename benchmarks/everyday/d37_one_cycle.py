"""Step a schedule: OneCycleLR against a LambdaLR-free table."""

import torch

mutates = ["opt", "sched"]


def inputs():
    p = torch.nn.Parameter(torch.randn(4))
    opt = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=100)
    for _ in range(int(torch.randint(1, 50, ()))):
        opt.step()
        sched.step()
    return opt, sched


def baseline(opt, sched):
    for _ in range(10):
        opt.step()
        sched.step()
    return opt.param_groups[0]["lr"]


def optimized(opt, sched):
    step = sched.step
    opt.step()
    for _ in range(10):
        step()
    return opt.param_groups[0]["lr"]
