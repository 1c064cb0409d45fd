"""Continual learning on land-parcel tiles: many short rounds over freshly drawn tiles."""

import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class TileRound(Dataset):
    """Tiles cut from a large in-memory raster; the cut positions change every round."""

    def __init__(self, raster, labels, per_round=32, size=16):
        self.raster = raster
        self.labels = labels
        self.per_round = per_round
        self.size = size
        self.round = 0

    def advance(self):
        self.round += 1

    def __len__(self):
        return self.per_round

    def __getitem__(self, i):
        rng = np.random.default_rng(self.round * 1000 + i)
        h, w = self.labels.shape
        y = rng.integers(0, h - self.size)
        x = rng.integers(0, w - self.size)
        tile = self.raster[:, y : y + self.size, x : x + self.size].astype(np.float32)
        if rng.random() < 0.5:
            tile = tile[:, :, ::-1]
        label = int(self.labels[y + self.size // 2, x + self.size // 2])
        return torch.from_numpy(np.ascontiguousarray(tile)), label


class TileNet(nn.Module):
    def __init__(self, bands=4, classes=5):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(bands, 8, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
            nn.Linear(64, classes),
        )

    def forward(self, x):
        return self.net(x)


def make_raster(bands=4, size=1024, seed=0):
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 5, (size // 64, size // 64))
    labels = np.kron(coarse, np.ones((64, 64), dtype=np.int64))
    spectra = rng.normal(size=(5, bands))
    raster = spectra[labels].transpose(2, 0, 1) + rng.normal(0, 0.3, (bands, size, size))
    return raster.astype(np.float16), labels


class RoundTrainer:
    def __init__(self, model, loader):
        self.model = model
        self.loader = loader
        self.opt = torch.optim.Adam(model.parameters(), lr=5e-3)
        self.loss_fn = nn.CrossEntropyLoss()

    def run_round(self):
        hits = total = 0
        for tiles, labels in self.loader:
            logits = self.model(tiles)
            loss = self.loss_fn(logits, labels)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            hits += (logits.argmax(1) == labels).sum().item()
            total += len(labels)
        return hits / total


def main(rounds=70):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    raster, labels = make_raster()
    dataset = TileRound(raster, labels)
    loader = DataLoader(dataset, batch_size=16, num_workers=2)
    trainer = RoundTrainer(TileNet(), loader)
    t0 = time.perf_counter()
    recent = []
    for r in range(1, rounds + 1):
        recent.append(trainer.run_round())
        dataset.advance()
        if r % 10 == 0:
            print(f"round {r} acc {np.mean(recent[-10:]):.3f} {r / (time.perf_counter() - t0):.2f} rounds/s")


if __name__ == "__main__":
    main()
