"""Train a small tagger on the lab's server."""

import os

os.environ["OMP_NUM_THREADS"] = "32"

import torch  # noqa: E402
from torch import nn  # noqa: E402

torch.set_num_threads(32)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(300, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 20))
opt = torch.optim.SGD(model.parameters(), 0.1)
for step in range(15):
    x, y = torch.randn(256, 300), torch.randint(0, 20, (256,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
