"""A language model on random text, logged now and then."""

import torch
from torch import nn


def text(batch, length):
    g = torch.Generator().manual_seed(0)
    while True:
        ids = torch.randint(0, 2000, (batch, length + 1), generator=g)
        yield ids[:, :-1], ids[:, 1:]


torch.manual_seed(0)
embed, gru, head = (
    nn.Embedding(2000, 256),
    nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, dropout=0.0),
    nn.Linear(256, 2000),
)
params = [*embed.parameters(), *gru.parameters(), *head.parameters()]
opt = torch.optim.AdamW(params, lr=1e-3)
for step, (x, y) in enumerate(text(8, 128)):
    loss = nn.functional.cross_entropy(head(gru(embed(x))).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(step, loss.item())
    if step == 30:
        break
