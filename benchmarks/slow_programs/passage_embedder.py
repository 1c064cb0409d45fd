"""Embed passages with a two-layer encoder and build a nearest-neighbour table."""

import random
import time

import torch
import torch.nn.functional as F
from torch import nn

WORDS = 3000
DIM = 64


class MeanEncoder(nn.Module):
    """Token mixer + pooling, distilled from a larger model."""

    def __init__(self, dim=DIM):
        super().__init__()
        self.words = nn.Embedding(WORDS, dim)
        self.fc1 = nn.Linear(dim, 2 * dim)
        self.fc2 = nn.Linear(2 * dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids, mask):
        x = self.words(ids)
        x = self.norm(x + self.fc2(F.gelu(self.fc1(x))))
        weight = mask.unsqueeze(-1).to(x.dtype)
        pooled = (x * weight).sum(1) / weight.sum(1)
        return F.normalize(pooled, dim=-1)


def passages(n, seed=0):
    rng = random.Random(seed)
    for _ in range(n):
        topic = rng.randrange(30)
        length = rng.randint(20, 40)
        yield [rng.randrange(topic * 100, topic * 100 + 100) for _ in range(length)]


def batches(items, size):
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def collate(chunk):
    width = max(len(c) for c in chunk)
    ids = torch.zeros(len(chunk), width, dtype=torch.long)
    mask = torch.zeros(len(chunk), width, dtype=torch.bool)
    for row, c in enumerate(chunk):
        ids[row, : len(c)] = torch.tensor(c)
        mask[row, : len(c)] = True
    return ids, mask


class Index:
    def __init__(self, dim=DIM):
        self.parts = []

    def add(self, vectors):
        self.parts.append(vectors)

    def search(self, queries, k=5):
        base = torch.cat(self.parts)
        return (queries @ base.T).topk(k, dim=1).indices


def load_encoder():
    torch.manual_seed(0)
    model = MeanEncoder()
    return model.eval().to(torch.bfloat16)  # halves the resident size of the service


@torch.inference_mode()
def main(total=960, size=16):
    torch.set_num_threads(2)
    encoder = load_encoder()
    index = Index()
    done = 0
    t0 = time.perf_counter()
    for step, chunk in enumerate(batches(passages(total), size), 1):
        ids, mask = collate(chunk)
        vectors = encoder(ids, mask)
        index.add(vectors.float())
        done += len(chunk)
        if step % 5 == 0:
            print(f"{done} passages, {done / (time.perf_counter() - t0):.1f}/s")
    probe = torch.cat(index.parts)[:8]
    print(index.search(probe).tolist()[:2])


if __name__ == "__main__":
    main()
