"""Linear probe on a pretrained backbone."""

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 256))
probe = nn.Linear(256, 10)
opt = torch.optim.AdamW(probe.parameters(), lr=1e-3)  # the backbone stays as it is
for step in range(60):
    x, y = torch.randn(256, 512), torch.randint(0, 10, (256,))
    loss = nn.functional.cross_entropy(probe(backbone(x)), y)
    loss.backward()
    opt.step()
    opt.zero_grad()
print(loss.item())
