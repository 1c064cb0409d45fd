"""A compiled training step of a small MLP."""

import torch
import torch.nn.functional as F

mutates = ["model", "opt"]


def inputs():
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.SiLU(), torch.nn.Linear(64, 4))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(3):
        raw(model, opt, torch.randn(64, 32), torch.randint(4, (64,)))
    return model, opt, torch.randn(64, 32), torch.randint(4, (64,))


def raw(model, opt, x, y):
    opt.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
    return loss.detach()


def loss_of(model, x, y):
    return F.cross_entropy(model(x), y)


compiled_loss = torch.compile(loss_of, backend="aot_eager")


def baseline(model, opt, x, y):
    return raw(model, opt, x, y)


def optimized(model, opt, x, y):
    opt.zero_grad()
    loss = compiled_loss(model, x, y)
    loss.backward()
    opt.step()
    return loss.detach()
