import torch
from torch import nn


class Cell(nn.Module):
    """A gated cell written by hand."""

    def __init__(self, n):
        super().__init__()
        self.wi, self.wf, self.wo, self.wc = (nn.Parameter(torch.randn(n, n) * 0.1) for _ in range(4))
        self.bi, self.bf, self.bo, self.bc = (nn.Parameter(torch.zeros(n)) for _ in range(4))

    def forward(self, x, h, c):
        z = x + h
        i = torch.sigmoid(z @ self.wi + self.bi)
        f = torch.sigmoid(z @ self.wf + self.bf)
        o = torch.sigmoid(z @ self.wo + self.bo)
        g = torch.tanh(z @ self.wc + self.bc)
        c = f * c + i * g
        return o * torch.tanh(c), c


torch.manual_seed(0)
cell, head = Cell(32), nn.Linear(32, 1)
opt = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.01)
series = torch.sin(torch.arange(0, 400).float() / 5)
for epoch in range(40):
    h = c = torch.zeros(4, 32)
    for t in range(100):
        h, c = cell(series[t].expand(4, 32), h, c)
    loss = (head(h) - series[100]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(float(loss))
