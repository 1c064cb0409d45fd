"""A bag-of-characters language identifier."""

import torch
from torch import nn

torch.manual_seed(0)
VOCABULARY, WIDTH = 8_000, 64


class Identifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(VOCABULARY, WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, 12)

    def forward(self, ids):
        x = nn.functional.one_hot(ids, VOCABULARY).float()
        return self.out(self.embed(x).mean(1))


model = Identifier()
opt = torch.optim.Adam(model.parameters())
for step in range(14):
    ids, labels = torch.randint(0, VOCABULARY, (32, 40)), torch.randint(0, 12, (32,))
    loss = nn.functional.cross_entropy(model(ids), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
