"""Matrix factorisation with a fresh shuffle per epoch."""

import copy
import random

import torch
from torch import nn


class Ratings:
    def __init__(self, n):
        r = random.Random(0)
        self.rows = [
            {"user": r.randrange(500), "item": r.randrange(800), "stars": float(r.randrange(5))} for _ in range(n)
        ]

    def shuffled(self):
        rows = copy.deepcopy(self.rows)
        random.shuffle(rows)
        return rows


users, items = nn.Embedding(500, 16), nn.Embedding(800, 16)
opt = torch.optim.SGD([*users.parameters(), *items.parameters()], lr=0.1)
data = Ratings(20000)
for epoch in range(25):
    rows = data.shuffled()
    u = torch.tensor([row["user"] for row in rows])
    i = torch.tensor([row["item"] for row in rows])
    s = torch.tensor([row["stars"] for row in rows])
    loss = ((users(u) * items(i)).sum(1) - s).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
