"""Our own Lion optimizer: for-each kernels against the loop of the paper."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr: float = 1e-4, betas=(0.9, 0.99), weight_decay: float = 0.0, foreach: bool = False):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay, foreach=foreach))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            grads = [p.grad for p in params]
            moments = []
            for p in params:
                state = self.state[p]
                if not state:
                    state["exp_avg"] = torch.zeros_like(p)
                moments.append(state["exp_avg"])
            update = self._many if group["foreach"] else self._one_by_one
            update(params, grads, moments, group["lr"], *group["betas"], group["weight_decay"])

    @staticmethod
    def _one_by_one(params, grads, moments, lr, b1, b2, wd):
        for p, g, m in zip(params, grads, moments):
            p.mul_(1 - lr * wd)
            direction = m.mul(b1).add_(g, alpha=1 - b1).sign_()
            p.add_(direction, alpha=-lr)
            m.mul_(b2).add_(g, alpha=1 - b2)

    @staticmethod
    def _many(params, grads, moments, lr, b1, b2, wd):
        torch._foreach_mul_(params, 1 - lr * wd)
        direction = torch._foreach_mul(moments, b1)
        torch._foreach_add_(direction, grads, alpha=1 - b1)
        torch._foreach_sign_(direction)
        torch._foreach_add_(params, direction, alpha=-lr)
        torch._foreach_mul_(moments, b2)
        torch._foreach_add_(moments, grads, alpha=1 - b2)


class Tagger(nn.Module):
    def __init__(self, vocab: int, dim: int, tags: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, tags))

    def forward(self, ids):
        return self.mlp(self.emb(ids))


workload = dict(vocab=500, dim=48, tags=12, batch=8, length=20)
mutates = ("model", "opt")


def inputs(vocab, dim, tags, batch, length):
    model = Tagger(vocab, dim, tags)
    opt = Lion(model.parameters(), lr=1e-4, weight_decay=0.1)
    for _ in range(2):
        F.cross_entropy(
            model(torch.randint(vocab, (batch, length))).flatten(0, 1), torch.randint(tags, (batch * length,))
        ).backward()
        opt.step()
        opt.zero_grad()
    return model, opt, torch.randint(vocab, (batch, length)), torch.randint(tags, (batch, length))


def step(model, opt, ids, tags):
    loss = F.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.detach()


def baseline(model, opt, ids, tags):
    return step(model, opt, ids, tags)


def optimized(model, opt, ids, tags):
    for g in opt.param_groups:
        g["foreach"] = True
    return step(model, opt, ids, tags)
