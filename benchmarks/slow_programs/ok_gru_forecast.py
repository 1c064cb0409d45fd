import torch
from torch import nn

torch.manual_seed(0)


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.GRU(8, 192, batch_first=True), nn.Linear(192, 8)

    def forward(self, past):
        states, _ = self.rnn(past)
        return self.out(states[:, -1])


t = torch.arange(97.0)
waves = torch.sin(t[None, :, None] / 6 + torch.rand(1024, 1, 8) * 6)
model = Forecaster()
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    for rows in torch.randperm(len(waves)).split(128):
        batch = waves[rows]
        loss = nn.functional.mse_loss(model(batch[:, :-1]), batch[:, -1])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
