import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 512))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
folder = tempfile.mkdtemp(dir=".")
path = os.path.join(folder, "last.pt")
for step in range(40):
    x = torch.randn(16, 512)
    loss = nn.functional.mse_loss(model(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    torch.save({"step": step, "model": model.state_dict(), "opt": opt.state_dict()}, path)
    if step % 10 == 0:
        print(step, loss.item())
os.remove(path)
os.rmdir(folder)
