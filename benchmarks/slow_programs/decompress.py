import zlib

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    """Scans, kept compressed in memory."""

    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.blobs = [
            zlib.compress(rng.integers(0, 40, size=(32, 96, 96)).astype(np.float32).tobytes(), 6) for _ in range(n)
        ]

    def __len__(self):
        return len(self.blobs) * 6

    def __getitem__(self, i):
        raw = zlib.decompress(self.blobs[i % len(self.blobs)])
        return torch.from_numpy(np.frombuffer(raw, dtype=np.float32).copy()).view(32, 96, 96)[:, ::4, ::4]


model = nn.Sequential(nn.Conv2d(32, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for batch in DataLoader(Volumes(16), batch_size=8, shuffle=True):
        loss = model(batch / 40).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
