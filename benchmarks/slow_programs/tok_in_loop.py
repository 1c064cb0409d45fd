"""Fine-tune a small classifier on reviews."""

import random
import re

import torch
from torch import nn

WORD = re.compile(r"[a-z']+|[.,!?]")
rng = random.Random(0)
words = ["good", "bad", "film", "plot", "slow", "actor", "scene", "loved", "hated", "music", "it's", "don't"]
reviews = [(" ".join(rng.choice(words) for _ in range(400)) + ".", rng.randrange(2)) for _ in range(256)]
vocab = {w: i + 1 for i, w in enumerate(words)}


def encode(text, length=256):
    ids = []
    for m in WORD.finditer(text.lower()):
        w = m.group(0)
        pieces = [w] if w in vocab else [w[i : i + 3] for i in range(0, len(w), 3)]
        for p in pieces:
            ids.append(vocab.get(p, hash(p) % 900 + 50))
    return (ids + [0] * length)[:length]


model = nn.Sequential(nn.EmbeddingBag(1000, 64), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(8):
    rng.shuffle(reviews)
    for i in range(0, len(reviews), 64):
        chunk = reviews[i : i + 64]
        x = torch.tensor([encode(t) for t, _ in chunk])
        y = torch.tensor([label for _, label in chunk])
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, float(loss))
