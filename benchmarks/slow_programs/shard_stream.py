"""Train a forecasting model from compressed shards with a streaming batch generator."""

import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

CHANNELS, LENGTH, HORIZON = 8, 96, 12


def write_shards(root, shards, windows, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(LENGTH + HORIZON)
    for s in range(shards):
        period = rng.uniform(8, 40, (windows, CHANNELS, 1))
        phase = rng.uniform(0, 6.28, (windows, CHANNELS, 1))
        series = np.sin(2 * np.pi * t / period + phase) + 0.05 * rng.standard_normal((windows, CHANNELS, len(t)))
        np.savez_compressed(
            root / f"shard_{s:02d}.npz",
            series=np.round(series, 2).astype(np.float32),
            site=rng.integers(0, 50, windows),
        )


class ShardReader:
    def __init__(self, path):
        self.archive = np.load(path)
        self.count = len(self.archive["site"])

    def __len__(self):
        return self.count

    def window(self, i):
        series = self.archive["series"][i]
        site = int(self.archive["site"][i])
        return series[:, :LENGTH], series[:, LENGTH:], site


def samples(readers, rng):
    order = [(r, i) for r in range(len(readers)) for i in range(len(readers[r]))]
    for k in rng.permutation(len(order)):
        r, i = order[k]
        yield readers[r].window(i)


def batches(stream, size):
    xs, ys, sites = [], [], []
    for x, y, site in stream:
        xs.append(x)
        ys.append(y)
        sites.append(site)
        if len(xs) == size:
            yield torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(ys)), torch.tensor(sites)
            xs, ys, sites = [], [], []


class Forecaster(nn.Module):
    def __init__(self, dim=128):
        super().__init__()
        self.site = nn.Embedding(50, CHANNELS * LENGTH // 8)
        width = CHANNELS * LENGTH + CHANNELS * LENGTH // 8
        self.net = nn.Sequential(
            nn.Linear(width, dim), nn.GELU(), nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, CHANNELS * HORIZON)
        )

    def forward(self, x, site):
        h = torch.cat([x.flatten(1), self.site(site)], dim=1)
        return self.net(h).view(-1, CHANNELS, HORIZON)


def main(shards=6, windows=300, epochs=1, batch_size=16):
    torch.manual_seed(0)
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as tmp:
        root = Path(tmp)
        write_shards(root, shards, windows)
        readers = [ShardReader(p) for p in sorted(root.glob("*.npz"))]
        model = Forecaster()
        opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
        start, step = time.time(), 0
        for epoch in range(epochs):
            for x, y, site in batches(samples(readers, rng), batch_size):
                loss = nn.functional.mse_loss(model(x, site), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                step += 1
                if step % 10 == 0:
                    print(f"epoch {epoch} step {step} loss {loss.item():.4f} {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
