"""Train a patch classifier from shards on disk."""

import os
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, RandomSampler

SHARDS, PER_SHARD, SIDE, CLASSES = 16, 400, 24, 6


def write_shards(folder):
    rng = np.random.default_rng(0)
    proto = rng.uniform(0, 255, (CLASSES, SIDE, SIDE, 3))
    for s in range(SHARDS):
        labels = rng.integers(0, CLASSES, PER_SHARD)
        noise = rng.normal(0, 40, (PER_SHARD, SIDE, SIDE, 3))
        images = np.clip(proto[labels] + noise, 0, 255).astype(np.uint8)
        np.savez_compressed(os.path.join(folder, f"part-{s:03d}.npz"), images=images, labels=labels)


class ShardDataset(Dataset):
    def __init__(self, folder):
        self.paths = sorted(os.path.join(folder, f) for f in os.listdir(folder))
        self.current = None
        self.images = self.labels = None

    def __len__(self):
        return len(self.paths) * PER_SHARD

    def _open(self, shard):
        if shard != self.current:
            with np.load(self.paths[shard]) as data:
                self.images, self.labels = data["images"], data["labels"]
            self.current = shard

    def __getitem__(self, index):
        shard, row = divmod(index, PER_SHARD)
        self._open(shard)
        image = torch.from_numpy(self.images[row]).permute(2, 0, 1).float() / 255
        return image, int(self.labels[row])


class PatchNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 16, 3, padding=1)
        self.c2 = nn.Conv2d(16, 32, 3, padding=1, stride=2)
        self.head = nn.Linear(32, CLASSES)

    def forward(self, x):
        x = F.relu(self.c2(F.relu(self.c1(x))))
        return self.head(x.mean((2, 3)))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        write_shards(folder)
        dataset = ShardDataset(folder)
        loader = DataLoader(dataset, batch_size=32, sampler=RandomSampler(dataset, num_samples=1500))
        model = PatchNet()
        opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        seen, right, start = 0, 0, time.time()
        for step, (images, labels) in enumerate(loader):
            logits = model(images)
            loss = F.cross_entropy(logits, labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            seen += len(labels)
            right += (logits.argmax(1) == labels).sum().item()
            if step % 5 == 0:
                print(
                    f"step {step} loss {loss.item():.3f} acc {right / seen:.3f} {seen / (time.time() - start):.0f} img/s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
