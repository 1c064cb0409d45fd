"""Fine-tune small adapters on top of a frozen MLP scorer (reward-style head)."""

import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

HIDDEN = 1280
LAYERS = 6
RANK = 8
BATCH = 12
STEPS = 62


class AdapterLinear(nn.Module):
    def __init__(self, d_in, d_out, rank=RANK, alpha=16.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_out, d_in) / math.sqrt(d_in), requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(d_out), requires_grad=False)
        self.down = nn.Parameter(torch.randn(rank, d_in) / math.sqrt(d_in))
        self.up = nn.Parameter(torch.zeros(d_out, rank))
        self.scale = alpha / rank

    def forward(self, x):
        weight = self.weight + self.scale * (self.up @ self.down)
        return F.linear(x, weight, self.bias)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.proj = AdapterLinear(dim, dim)

    def forward(self, x):
        return x + F.gelu(self.proj(self.norm(x)))


class Scorer(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(layers))
        self.head = nn.Linear(dim, 1)
        for block in self.blocks:
            block.norm.requires_grad_(False)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x).squeeze(-1)


def make_pairs(n, dim, gen):
    direction = torch.randn(dim, generator=gen)
    base = torch.randn(n, dim, generator=gen)
    good = base + 0.1 * direction
    bad = base - 0.1 * direction
    return good, bad


def train():
    gen = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    good, bad = make_pairs(2048, HIDDEN, gen)
    model = Scorer(HIDDEN, LAYERS)
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(params, lr=3e-4, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)
    started = time.time()
    running = 0.0
    for step in range(STEPS):
        idx = torch.randint(0, good.shape[0], (BATCH // 2,), generator=gen)
        both = torch.cat([good[idx], bad[idx]])
        scores = model(both)
        chosen, rejected = scores.chunk(2)
        loss = -F.logsigmoid(chosen - rejected).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
        sched.step()
        running = 0.95 * running + 0.05 * loss.item()
        if step % 25 == 0:
            rate = (step + 1) * BATCH / (time.time() - started)
            print(f"step {step:4d} loss {running:.4f} {rate:.1f} samples/s", flush=True)
    print(f"done in {time.time() - started:.1f}s final {running:.4f}")


if __name__ == "__main__":
    train()
