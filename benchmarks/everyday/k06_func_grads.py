import torch
from torch import nn
from torch.func import functional_call, grad, vmap

constant = ("model",)


def constants():
    return nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 3))


def inputs():
    return torch.randn(40, 12), torch.randint(3, (40,))


def _loss(params, model, x, y):
    return nn.functional.cross_entropy(functional_call(model, params, (x[None],)), y[None])


def baseline(x, y, model):
    rows = []
    for i in range(len(x)):
        model.zero_grad()
        nn.functional.cross_entropy(model(x[i : i + 1]), y[i : i + 1]).backward()
        rows.append({k: p.grad.clone() for k, p in model.named_parameters()})
    model.zero_grad()
    return {k: torch.stack([r[k] for r in rows]) for k in rows[0]}


def optimized(x, y, model):
    params = {k: p.detach() for k, p in model.named_parameters()}
    return vmap(grad(_loss), (None, None, 0, 0))(params, model, x, y)
