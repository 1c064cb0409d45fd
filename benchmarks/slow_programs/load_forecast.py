"""Forecast electricity load with a residual MLP ensemble."""

import time

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(2)

HISTORY, HORIZON = 96, 24


def load_curves(n, seed=0):
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(HISTORY + HORIZON).float()
    phase = torch.rand(n, 1, generator=g) * 24
    daily = torch.sin(2 * torch.pi * (t + phase) / 24)
    weekly = 0.3 * torch.sin(2 * torch.pi * (t + phase) / 168)
    noise = 0.1 * torch.randn(n, HISTORY + HORIZON, generator=g)
    return daily + weekly + noise


class ResidualBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.gate = nn.Parameter(torch.zeros(dim))
        self.scale = nn.Parameter(torch.ones(dim))
        self.mix = nn.Linear(dim, dim)

    def forward(self, x):
        h = F.silu(self.norm(x) * self.scale)
        return x + torch.tanh(self.gate) * F.gelu(self.mix(h))


class Forecaster(nn.Module):
    def __init__(self, dim=64, depth=6):
        super().__init__()
        self.inp = nn.Linear(HISTORY, dim)
        self.blocks = nn.Sequential(*[ResidualBlock(dim) for _ in range(depth)])
        self.out = nn.Linear(dim, HORIZON)

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        std = x.std(1, keepdim=True) + 1e-4
        y = self.out(self.blocks(self.inp((x - mean) / std)))
        return y * std + mean


class Ensemble:
    def __init__(self, members):
        self.models = [Forecaster() for _ in range(members)]
        self.opts = [torch.optim.AdamW(m.parameters(), lr=2e-3) for m in self.models]

    def training_step(self, x, y):
        losses = []
        for model, opt in zip(self.models, self.opts):
            keep = torch.rand(len(x)) < 0.8
            loss = F.huber_loss(model(x[keep]), y[keep])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.detach())
        return torch.stack(losses)

    @torch.no_grad()
    def predict(self, x):
        stacked = torch.stack([m.eval()(x) for m in self.models])
        for m in self.models:
            m.train()
        return stacked.mean(0), stacked.std(0)


class EarlyStopping:
    def __init__(self, patience):
        self.patience = patience
        self.best = float("inf")
        self.bad = 0

    def update(self, score):
        if score < self.best:
            self.best, self.bad = score, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


def backtest(ensemble, curves):
    mean, spread = ensemble.predict(curves[:, :HISTORY])
    error = mean - curves[:, HISTORY:]
    covered = (error.abs() < 2 * spread + 0.1).float().mean().item()
    return error.abs().mean().item(), covered


def main(steps=35, batch=256):
    curves = load_curves(8192)
    x, y = curves[:, :HISTORY], curves[:, HISTORY:]
    held = load_curves(9000, seed=1)
    ensemble = Ensemble(members=2)
    stopper = EarlyStopping(patience=30)
    t0 = time.perf_counter()
    for step in range(1, steps + 1):
        idx = torch.randint(0, len(x), (batch,))
        losses = ensemble.training_step(x[idx], y[idx])
        mae, covered = backtest(ensemble, held)
        if stopper.update(mae):
            break
        if step % 5 == 0:
            print(
                f"step {step} loss {losses.mean():.4f} mae {mae:.4f} covered {covered:.2f} "
                f"{step / (time.perf_counter() - t0):.2f} it/s"
            )


if __name__ == "__main__":
    main()
