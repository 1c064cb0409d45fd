"""Train a small recurrent language model on a corpus that was tokenised once."""

import torch
from torch import nn

torch.manual_seed(0)
tokens = torch.randint(0, 2_000, (400_000,))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.out = (
            nn.Embedding(2_000, 256),
            nn.LSTM(256, 256, batch_first=True),
            nn.Linear(256, 2_000),
        )

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


def batches(count, rows=32, length=64):
    for _ in range(count):
        starts = torch.randint(0, len(tokens) - length - 1, (rows, 1))
        block = tokens[starts + torch.arange(length + 1)]
        yield block[:, :-1], block[:, 1:]


model = Model()
opt = torch.optim.AdamW(model.parameters(), 1e-3)
for step, (x, y) in enumerate(batches(8, rows=16)):
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 4 == 0:
        print(step, loss.item())
