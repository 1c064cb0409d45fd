"""Node classification with two graph convolutions on a citation graph."""

import torch
from torch import nn

torch.manual_seed(0)
NODES, EDGES = 3_000, 12_000
source, target = torch.randint(0, NODES, (2, EDGES))
adjacency = torch.zeros(NODES, NODES)
adjacency[source, target] = 1.0
adjacency = adjacency / adjacency.sum(1, keepdim=True).clamp(min=1)


class GraphConv(nn.Module):
    def __init__(self, width_in, width_out):
        super().__init__()
        self.linear = nn.Linear(width_in, width_out)

    def forward(self, x):
        return adjacency @ self.linear(x)


model = nn.ModuleList([GraphConv(64, 128), GraphConv(128, 16)])
opt = torch.optim.Adam(model.parameters(), 1e-2)
features, labels = torch.randn(NODES, 64), torch.randint(0, 16, (NODES,))
for epoch in range(8):
    hidden = model[0](features).relu()
    loss = nn.functional.cross_entropy(model[1](hidden), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
