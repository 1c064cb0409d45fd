import random

import torch
from torch import nn
from torch.utils.data import DataLoader

rng = random.Random(0)
SAMPLES = [([rng.random() for _ in range(3000)], rng.randrange(4)) for _ in range(256)]


def collate(samples):
    xs = [[float(v) * 2.0 - 1.0 for v in values] for values, _ in samples]
    return torch.tensor(xs), torch.tensor([label for _, label in samples])


model = nn.Sequential(nn.Linear(3000, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(model.parameters())
loader = DataLoader(SAMPLES, batch_size=32, shuffle=True, collate_fn=collate)
for epoch in range(8):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())
