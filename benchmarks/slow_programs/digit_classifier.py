"""Fit a small convnet on a packed archive of synthetic glyph images."""

import os
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, RandomSampler

CLASSES = 8
SIDE = 28


def draw_glyph(label, rng):
    img = rng.integers(0, 40, size=(SIDE, SIDE)).astype(np.uint8)
    angle = np.pi * label / CLASSES
    cx, cy = rng.uniform(11, 17, size=2)
    t = np.linspace(-9, 9, 40)
    xs = np.clip(np.round(cx + t * np.cos(angle)), 0, SIDE - 1).astype(int)
    ys = np.clip(np.round(cy + t * np.sin(angle)), 0, SIDE - 1).astype(int)
    img[ys, xs] = 220
    return img


def build_archive(path, count, seed=3):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, size=count)
    images = np.stack([draw_glyph(int(y), rng) for y in labels])
    np.savez_compressed(path, images=images, labels=labels.astype(np.int64))


class GlyphDataset(Dataset):
    def __init__(self, path, train=True):
        self.archive = np.load(path)
        self.count = self.archive["labels"].shape[0]
        self.train = train
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        image = self.archive["images"][index]
        label = self.archive["labels"][index]
        x = torch.from_numpy(image.astype(np.float32) / 255.0)
        if self.train:
            dx, dy = self.rng.integers(-2, 3, size=2)
            x = torch.roll(x, shifts=(int(dy), int(dx)), dims=(0, 1))
        return x.unsqueeze(0), int(label)


class GlyphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Linear(32 * 7 * 7, CLASSES)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def train_epoch(model, loader, optimizer, loss_fn, epoch):
    model.train()
    seen, correct, total_loss = 0, 0, 0.0
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        out = model(x)
        loss = loss_fn(out, y)
        loss.backward()
        optimizer.step()
        seen += y.numel()
        correct += (out.argmax(1) == y).sum().item()
        total_loss += loss.item() * y.numel()
        if step % 5 == 0:
            print(f"epoch {epoch} step {step:3d} loss {loss.item():.4f}", flush=True)
    return total_loss / seen, correct / seen


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "glyphs.npz")
        build_archive(path, count=2400)
        dataset = GlyphDataset(path)
        sampler = RandomSampler(dataset, num_samples=320)
        loader = DataLoader(dataset, batch_size=32, sampler=sampler)
        model = GlyphNet()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        loss_fn = nn.CrossEntropyLoss()
        for epoch in range(3):
            t0 = time.perf_counter()
            loss, acc = train_epoch(model, loader, optimizer, loss_fn, epoch)
            print(f"epoch {epoch}: loss {loss:.4f} acc {acc:.3f} in {time.perf_counter() - t0:.1f}s")


if __name__ == "__main__":
    main()
