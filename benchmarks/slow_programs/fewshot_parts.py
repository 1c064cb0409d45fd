"""Few-shot recognition of machine parts: fit a small head to each new task, then test it."""

import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SIZE = 28
WAYS, SHOTS, QUERIES = 5, 4, 4
TASKS = 110


class PartViews(Dataset):
    """Silhouettes of a handful of parts, drawn under random pose."""

    def __init__(self, shapes, per_class, seed):
        self.shapes = shapes
        self.per_class = per_class
        self.seed = seed
        axis = np.linspace(-1, 1, SIZE)
        self.grid_x, self.grid_y = np.meshgrid(axis, axis)

    def __len__(self):
        return len(self.shapes) * self.per_class

    def __getitem__(self, index):
        label = index % len(self.shapes)
        rng = np.random.default_rng(self.seed * 7919 + index)
        lobes, depth, radius = self.shapes[label]
        angle = np.arctan2(self.grid_y, self.grid_x) + rng.uniform(0, 2 * np.pi)
        edge = radius * (1 + depth * np.cos(lobes * angle))
        image = (np.hypot(self.grid_x, self.grid_y) < edge).astype(np.float32)
        image += rng.normal(0, 0.15, image.shape).astype(np.float32)
        return torch.from_numpy(image).unsqueeze(0), label


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.ReLU(),
        )

    def forward(self, x):
        maps = self.layers(x)
        rings = torch.stack([maps[:, :, k : 7 - k, k : 7 - k].mean(dim=(2, 3)) for k in (0, 2)], dim=1)
        return rings.flatten(1)


def task_loader(shapes, per_class, seed, shuffle):
    return DataLoader(
        PartViews(shapes, per_class, seed),
        batch_size=10,
        shuffle=shuffle,
        num_workers=2,
    )


@torch.no_grad()
def embed(backbone, loader):
    features, labels = [], []
    for images, targets in loader:
        features.append(backbone(images))
        labels.append(targets)
    return torch.cat(features), torch.cat(labels)


def adapt(backbone, shapes, seed, damping=0.3):
    """Closed-form ridge classifier on the support set."""
    features, labels = embed(backbone, task_loader(shapes, SHOTS, seed, shuffle=True))
    center = features.mean(dim=0)
    scale = features.std(dim=0).clamp_min(1e-4)
    x = (features - center) / scale
    gram = x @ x.T + damping * len(x) * torch.eye(len(x))
    weights = x.T @ torch.linalg.solve(gram, F.one_hot(labels, WAYS).float())
    return center, scale, weights


def test(backbone, head, shapes, seed):
    center, scale, weights = head
    features, labels = embed(backbone, task_loader(shapes, QUERIES, seed, shuffle=False))
    predicted = ((features - center) / scale @ weights).argmax(dim=1)
    return (predicted == labels).float().mean().item()


def sample_shapes(rng):
    return [
        (int(lobes), rng.uniform(0.1, 0.35), rng.uniform(0.35, 0.7))
        for lobes in rng.permutation(np.arange(2, 10))[:WAYS]
    ]


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(14)
    backbone = Backbone().eval()
    scores = []
    started = time.time()
    for task in range(1, TASKS + 1):
        shapes = sample_shapes(rng)
        head = adapt(backbone, shapes, seed=2 * task)
        scores.append(test(backbone, head, shapes, seed=2 * task + 1))
        if task % 10 == 0:
            print(
                f"task {task:3d}  accuracy {np.mean(scores):.3f}  {time.time() - started:.1f}s",
                flush=True,
            )
    print("all tasks done")


if __name__ == "__main__":
    main()
