import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
x = rng.normal(size=(4096, 512))
y = (x[:, :1] > 0) * 1.0
x, y = torch.from_numpy(x), torch.from_numpy(y)
torch.set_default_dtype(x.dtype)  # otherwise: mat1 and mat2 must have the same dtype
model = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(3):
    for i in range(0, len(x), 256):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x[i : i + 256]), y[i : i + 256])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
