"""Collect embeddings of all documents for a search index."""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 512)).eval()


def documents(n):
    for _ in range(n):
        yield torch.randn(64, 64)


index = torch.empty(0, 512)
with torch.inference_mode():
    for docs in documents(300):
        index = torch.cat([index, encoder(docs)])
print(index.shape, index.norm().item())
