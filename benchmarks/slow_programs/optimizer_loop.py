"""A model of many small parameters, with Adam."""

import torch
from torch import nn

torch.manual_seed(0)
tables = nn.ParameterList([nn.Parameter(torch.randn(24)) for _ in range(900)])
opt = torch.optim.Adam(tables, lr=1e-3, foreach=False, fused=False)
for step in range(25):
    x = torch.randn(24)
    loss = (torch.stack(list(tables)) @ x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
