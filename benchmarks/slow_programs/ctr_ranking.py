"""Click-through-rate model with hashed categorical features."""

import argparse
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class ClickStream:
    """Endless synthetic click log; ids follow a heavy tail like real traffic."""

    def __init__(self, buckets, fields, batch_size, seed=0):
        self.buckets = buckets
        self.fields = fields
        self.batch_size = batch_size
        self.rng = np.random.default_rng(seed)
        self.salt = self.rng.integers(1, 2**31 - 1, size=fields)

    def __iter__(self):
        return self

    def __next__(self):
        raw = self.rng.zipf(1.3, size=(self.batch_size, self.fields)) % (2**31)
        ids = (raw * 2654435761 + self.salt) % self.buckets
        dense = self.rng.normal(size=(self.batch_size, 13)).astype(np.float32)
        p = 1 / (1 + np.exp(-(dense[:, 0] - 0.5 * dense[:, 1] + (ids[:, 0] % 7 == 0))))
        y = (self.rng.random(self.batch_size) < p).astype(np.float32)
        return torch.from_numpy(ids), torch.from_numpy(dense), torch.from_numpy(y)


class DeepCTR(nn.Module):
    def __init__(self, buckets, fields, dim):
        super().__init__()
        self.table = nn.Embedding(buckets, dim)
        nn.init.normal_(self.table.weight, std=0.01)
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, dim))
        pairs = (fields + 1) * fields // 2
        self.top = nn.Sequential(
            nn.Linear(pairs + dim, 128),
            nn.ReLU(),
            nn.Linear(128, 64),
            nn.ReLU(),
            nn.Linear(64, 1),
        )
        i, j = np.triu_indices(fields + 1, k=1)
        self.register_buffer("pi", torch.from_numpy(i))
        self.register_buffer("pj", torch.from_numpy(j))

    def forward(self, ids, dense):
        d = self.bottom(dense)
        e = self.table(ids)
        z = torch.cat([d[:, None], e], dim=1)
        inter = torch.bmm(z, z.transpose(1, 2))[:, self.pi, self.pj]
        return self.top(torch.cat([d, inter], dim=1)).squeeze(-1)


def auc(scores, labels):
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    pos = labels > 0.5
    n1, n0 = pos.sum(), (~pos).sum()
    return (ranks[pos].sum() - n1 * (n1 + 1) / 2) / max(n1 * n0, 1)


def train(args):
    torch.manual_seed(0)
    stream = ClickStream(args.buckets, args.fields, args.batch_size)
    model = DeepCTR(args.buckets, args.fields, args.dim)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    seen_scores, seen_labels = [], []
    t0 = time.time()
    for step, (ids, dense, y) in zip(range(1, args.steps + 1), stream):
        logits = model(ids, dense)
        loss = F.binary_cross_entropy_with_logits(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen_scores.append(logits.detach().numpy())
        seen_labels.append(y.numpy())
        if step % args.report == 0:
            a = auc(np.concatenate(seen_scores), np.concatenate(seen_labels))
            rate = step * args.batch_size / (time.time() - t0)
            print(f"step {step:4d} loss {loss.item():.4f} auc {a:.3f} {rate:,.0f} rows/s")
            seen_scores.clear()
            seen_labels.clear()
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--buckets", type=int, default=300_000)
    parser.add_argument("--fields", type=int, default=10)
    parser.add_argument("--dim", type=int, default=32)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--report", type=int, default=20)
    train(parser.parse_args())
