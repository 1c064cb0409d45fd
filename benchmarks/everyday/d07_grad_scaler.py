"""Unscale and clip under a GradScaler: clip after unscale_ with and without foreach."""

import torch

mutates = ["model", "opt", "scaler"]


def inputs():
    model = torch.nn.Sequential(
        torch.nn.Linear(48, 48), torch.nn.ReLU(), torch.nn.Linear(48, 48), torch.nn.ReLU(), torch.nn.Linear(48, 8)
    )
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    x, y = torch.randn(64, 48), torch.randn(64, 8)
    return model, opt, scaler, x, y


def train(model, opt, scaler, x, y, foreach):
    opt.zero_grad(set_to_none=True)
    loss = (model(x) - y).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5, foreach=foreach)
    scaler.step(opt)
    scaler.update()
    return loss.item(), norm


def baseline(model, opt, scaler, x, y):
    return train(model, opt, scaler, x, y, False)


def optimized(model, opt, scaler, x, y):
    return train(model, opt, scaler, x, y, True)
