"""Batches of sentences of different lengths, with a compiled model."""

import torch
from torch import nn

torch.manual_seed(0)
torch._dynamo.config.recompile_limit = 200
net = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64), nn.LayerNorm(64))
fast = torch.compile(net, backend="aot_eager", dynamic=False)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(40):
    length = 16 + step * 3
    x = torch.randn(8, length, 64)
    loss = fast(x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
