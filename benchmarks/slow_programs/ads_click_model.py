"""Trains a factorised click-through model on a stream of synthetic impressions."""

import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

N_USERS = 400_000
N_ITEMS = 160_000
N_CONTEXT = 12
DIM = 64
BATCH = 256
STEPS = 105


class ImpressionStream:
    """Yields batches the way the log collector hands them over."""

    def __init__(self, seed=7):
        self.rng = np.random.default_rng(seed)
        self.user_bias = self.rng.normal(0, 0.8, N_USERS).astype(np.float32)
        self.item_bias = self.rng.normal(0, 0.8, N_ITEMS).astype(np.float32)

    def _zipf_ids(self, high, size):
        raw = self.rng.zipf(1.15, size)
        return (raw * 2654435761 % high).astype(np.int64)

    def next_batch(self):
        users = self._zipf_ids(N_USERS, BATCH)
        items = self._zipf_ids(N_ITEMS, BATCH)
        context = self.rng.normal(size=(BATCH, N_CONTEXT)).astype(np.float32)
        logit = self.user_bias[users] + self.item_bias[items] + 0.5 * context[:, 0] - 1.0
        clicked = self.rng.random(BATCH) < 1.0 / (1.0 + np.exp(-logit))
        return (
            torch.from_numpy(users),
            torch.from_numpy(items),
            torch.from_numpy(context),
            torch.from_numpy(clicked.astype(np.float32)),
        )


class ClickModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.user_table = nn.Embedding.from_pretrained(0.02 * torch.randn(N_USERS, DIM), freeze=False)
        self.item_table = nn.Embedding.from_pretrained(0.02 * torch.randn(N_ITEMS, DIM), freeze=False)
        self.user_lean = nn.Linear(DIM, 1, bias=False)
        self.item_lean = nn.Linear(DIM, 1, bias=False)
        self.context = nn.Linear(N_CONTEXT, 1)

    def forward(self, users, items, context):
        u = self.user_table(users)
        v = self.item_table(items)
        affinity = (u * v).sum(dim=1, keepdim=True)
        score = affinity + self.user_lean(u) + self.item_lean(v) + self.context(context)
        return score.squeeze(1)


def train_step(model, optimizer, batch):
    users, items, context, clicked = batch
    logits = model(users, items, context)
    loss = F.binary_cross_entropy_with_logits(logits, clicked)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def calibration(model, stream):
    model.eval()
    with torch.no_grad():
        users, items, context, clicked = stream.next_batch()
        predicted = torch.sigmoid(model(users, items, context)).mean()
    model.train()
    return (predicted / clicked.mean().clamp_min(1e-6)).item()


def main():
    torch.manual_seed(0)
    stream = ImpressionStream()
    model = ClickModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    started = time.time()
    smoothed = None
    for step in range(1, STEPS + 1):
        loss = train_step(model, optimizer, stream.next_batch())
        smoothed = loss if smoothed is None else 0.95 * smoothed + 0.05 * loss
        if step % 15 == 0:
            print(
                f"step {step:4d}  logloss {smoothed:.4f}  "
                f"calibration {calibration(model, stream):.2f}  {time.time() - started:.1f}s",
                flush=True,
            )
    print("finished")


if __name__ == "__main__":
    main()
