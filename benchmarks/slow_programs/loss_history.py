"""Train with a progress line that shows the mean loss so far."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
losses = []


def progress():
    mean = sum(losses) / len(losses)
    best = min(losses)
    return f"mean {mean:.4f} best {best:.4f}"


for step in range(300):
    x = torch.randn(64, 32)
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
    line = progress()
print(line)
