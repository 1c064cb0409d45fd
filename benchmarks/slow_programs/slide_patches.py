"""Train a linear stain classifier on patches cut out of scanned slides."""

import os
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


def prepare_archive(path, n=500, size=64, seed=0):
    """Write the packed archive once, as the scanning team delivers it."""
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:size, 0:size]
    images = np.empty((n, size, size, 3), dtype=np.uint8)
    labels = rng.integers(0, 4, n)
    for i in range(n):
        cx, cy = rng.uniform(10, size - 10, 2)
        r = 6 + 4 * labels[i]
        blob = np.exp(-((xx - cx) ** 2 + (yy - cy) ** 2) / (2 * r * r))
        tint = np.array([180, 90 + 20 * labels[i], 160])
        images[i] = (blob[..., None] * tint).astype(np.uint8) & 0xF8
    np.savez_compressed(path, images=images, labels=labels, mpp=rng.choice([0.25, 0.5], n))


class SlidePatches(Dataset):
    def __init__(self, path):
        self.archive = np.load(path)
        self.count = len(self.archive["labels"])

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        patch = self.archive["images"][i]
        label = self.archive["labels"][i]
        scale = self.archive["mpp"][i] / 0.5
        x = patch.astype(np.float32) / 255.0
        x = (x - x.mean()) / (x.std() + 1e-3)
        return torch.from_numpy(x).permute(2, 0, 1) * float(scale), int(label)


class PatchNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 5, 2, 2),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, 2, 1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(4),
            nn.Flatten(),
        )
        self.fc = nn.Linear(256, classes)

    def forward(self, x):
        return self.fc(self.features(x))


def train_epoch(model, loader, opt, loss_fn):
    model.train()
    total = 0.0
    for x, y in loader:
        loss = loss_fn(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
    return total / len(loader.dataset)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return hits / len(loader.dataset)


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "slides.npz")
        prepare_archive(path)
        data = SlidePatches(path)
        train_ds = Subset(data, range(0, 96))
        val_ds = Subset(data, range(96, 128))
        train_loader = DataLoader(train_ds, batch_size=16, shuffle=True)
        val_loader = DataLoader(val_ds, batch_size=16)
        model = PatchNet()
        opt = torch.optim.Adam(model.parameters(), lr=3e-3)
        loss_fn = nn.CrossEntropyLoss()
        for epoch in range(3):
            t0 = time.time()
            loss = train_epoch(model, train_loader, opt, loss_fn)
            acc = accuracy(model, val_loader)
            print(f"epoch {epoch} loss {loss:.3f} val {acc:.2f} ({time.time() - t0:.1f}s)")


if __name__ == "__main__":
    main()
