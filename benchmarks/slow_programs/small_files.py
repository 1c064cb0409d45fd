"""Spectrograms lie as one file per clip."""

import os
import shutil
import tempfile

import numpy as np
import torch
from torch import nn

root = tempfile.mkdtemp(dir=".")
rng = np.random.default_rng(0)
for i in range(400):
    np.savetxt(os.path.join(root, f"{i}.txt"), rng.normal(size=(20, 20)), fmt="%.5f")


def clips(batch=40):
    names = sorted(os.listdir(root))
    for at in range(0, len(names), batch):
        yield torch.stack(
            [torch.from_numpy(np.loadtxt(os.path.join(root, n), dtype=np.float32)) for n in names[at : at + batch]]
        )


model = nn.Sequential(nn.Flatten(), nn.Linear(400, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(4):
    for x in clips():
        loss = model(x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
shutil.rmtree(root)
