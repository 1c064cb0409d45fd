"""Train a small click model on synthetic user/item interactions."""

import math
import time

import torch
from torch import nn
from torch.nn import functional as F


class InteractionLog:
    """Synthetic impressions: popular items are seen more often."""

    def __init__(self, n_users, n_items, seed=7):
        self.n_users = n_users
        self.n_items = n_items
        self.gen = torch.Generator().manual_seed(seed)
        self.user_taste = torch.randn(n_users, 4, generator=self.gen)
        self.item_trait = torch.randn(n_items, 4, generator=self.gen)

    def batch(self, size):
        users = torch.randint(0, self.n_users, (size,), generator=self.gen)
        u = torch.rand(size, generator=self.gen)
        items = (u.pow(3.0) * self.n_items).long().clamp_(max=self.n_items - 1)
        context = torch.randn(size, 12, generator=self.gen)
        affinity = (self.user_taste[users] * self.item_trait[items]).sum(1)
        logit = affinity + 0.5 * context[:, 0]
        clicks = (torch.rand(size, generator=self.gen) < torch.sigmoid(logit)).float()
        return users, items, context, clicks


class ClickModel(nn.Module):
    def __init__(self, n_users, n_items, dim=32):
        super().__init__()
        self.user_emb = nn.Embedding(n_users, dim)
        self.item_emb = nn.Embedding(n_items, dim)
        nn.init.normal_(self.user_emb.weight, std=0.05)
        nn.init.normal_(self.item_emb.weight, std=0.05)
        self.mlp = nn.Sequential(
            nn.Linear(dim * 2 + 12, 128),
            nn.ReLU(),
            nn.Linear(128, 64),
            nn.ReLU(),
            nn.Linear(64, 1),
        )

    def forward(self, users, items, context):
        u = self.user_emb(users)
        v = self.item_emb(items)
        x = torch.cat([u, v, context], dim=1)
        return self.mlp(x).squeeze(1) + (u * v).sum(1)


class Trainer:
    def __init__(self, model, log, lr=2e-3, batch_size=1024):
        self.model = model
        self.log = log
        self.batch_size = batch_size
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.running = None

    def train_step(self):
        users, items, context, clicks = self.log.batch(self.batch_size)
        logits = self.model(users, items, context)
        loss = F.binary_cross_entropy_with_logits(logits, clicks)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        value = loss.item()
        self.running = value if self.running is None else 0.95 * self.running + 0.05 * value
        return value

    @torch.no_grad()
    def evaluate(self, batches=4):
        self.model.eval()
        correct, total = 0, 0
        for _ in range(batches):
            users, items, context, clicks = self.log.batch(self.batch_size)
            pred = self.model(users, items, context) > 0
            correct += (pred == clicks.bool()).sum().item()
            total += clicks.numel()
        self.model.train()
        return correct / total

    def fit(self, steps, report_every=20):
        started = time.perf_counter()
        for step in range(1, steps + 1):
            self.train_step()
            if step % report_every == 0:
                acc = self.evaluate()
                elapsed = time.perf_counter() - started
                print(f"step {step:4d} loss {self.running:.4f} acc {acc:.3f} ({elapsed:.1f}s)", flush=True)
                if not math.isfinite(self.running):
                    raise RuntimeError("training diverged")


def main():
    torch.manual_seed(0)
    n_users, n_items = 300_000, 120_000
    log = InteractionLog(n_users, n_items)
    model = ClickModel(n_users, n_items)
    params = sum(p.numel() for p in model.parameters())
    print(f"click model with {params / 1e6:.1f}M parameters")
    trainer = Trainer(model, log)
    trainer.fit(steps=160)
    print("finished")


if __name__ == "__main__":
    main()
