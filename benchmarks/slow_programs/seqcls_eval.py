"""Evaluate a transformer sentence classifier on several test splits."""

import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

VOCAB, PAD, MAX_LEN = 6000, 0, 256


class Sentences(Dataset):
    def __init__(self, name, n, mean_len, seed):
        rng = np.random.default_rng(seed)
        self.name = name
        lengths = np.clip(rng.lognormal(np.log(mean_len), 0.4, n).astype(int), 5, MAX_LEN)
        self.rows = [rng.integers(1, VOCAB, size=size).tolist() for size in lengths]
        self.labels = rng.integers(0, 3, n).tolist()

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i], self.labels[i]


def collate(items):
    ids = torch.full((len(items), MAX_LEN), PAD, dtype=torch.long)
    for row, (tokens, _) in enumerate(items):
        tokens = tokens[:MAX_LEN]
        ids[row, : len(tokens)] = torch.tensor(tokens)
    return ids, torch.tensor([label for _, label in items])


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.heads = heads

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        out = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.proj(out.transpose(1, 2).reshape(b, t, d))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, mask):
        x = x + self.attn(self.n1(x), mask)
        return x + self.mlp(self.n2(x))


class Encoder(nn.Module):
    def __init__(self, dim=192, heads=6, layers=4, classes=3):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.pos = nn.Embedding(MAX_LEN, dim)
        self.layers = nn.ModuleList(Layer(dim, heads) for _ in range(layers))
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        keep = ids != PAD
        x = self.tok(ids) + self.pos.weight[: ids.shape[1]]
        mask = keep[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        pooled = (x * keep[..., None]).sum(1) / keep.sum(1, keepdim=True)
        return self.head(pooled)


@torch.inference_mode()
def evaluate(model, dataset, batch_size=32):
    loader = DataLoader(dataset, batch_size=batch_size, collate_fn=collate)
    confusion = torch.zeros(3, 3, dtype=torch.long)
    for ids, labels in loader:
        pred = model(ids).argmax(-1)
        confusion += torch.bincount(labels * 3 + pred, minlength=9).view(3, 3)
    recall = confusion.diag() / confusion.sum(1).clamp(min=1)
    return confusion.diag().sum().item() / len(dataset), recall.mean().item()


def main():
    torch.manual_seed(0)
    model = Encoder().eval()
    splits = [Sentences("reviews", 192, 40, 1), Sentences("tweets", 192, 20, 2), Sentences("headlines", 192, 14, 3)]
    for split in splits:
        start = time.time()
        acc, macro = evaluate(model, split)
        took = time.time() - start
        print(f"{split.name:10s} acc {acc:.3f} macro recall {macro:.3f} {len(split) / took:.1f} sentences/s")


if __name__ == "__main__":
    main()
