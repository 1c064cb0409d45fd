import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(4096, 512), torch.randint(0, 10, (4096,))
model = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for i in range(0, len(x), 512):
        loss = nn.functional.cross_entropy(model(x[i : i + 512]), y[i : i + 512])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
