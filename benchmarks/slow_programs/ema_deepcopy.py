import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[nn.Sequential(nn.Linear(48, 48), nn.LayerNorm(48), nn.ReLU()) for _ in range(40)])
opt = torch.optim.SGD(model.parameters(), lr=0.01, foreach=True)
history, best = [], 1e9
for step in range(50):
    x = torch.randn(32, 48)
    loss = (model(x) - x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history = (history + [copy.deepcopy(model)])[-3:]
    snapshot = copy.deepcopy(opt.state_dict())
    if step % 10 == 0:
        print(step, float(loss))
