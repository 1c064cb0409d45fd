"""Character language model: a small decoder-only transformer trained on generated text."""

import math
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

BLOCK, BATCH, DIM, HEADS, LAYERS = 128, 16, 192, 6, 4


def make_text(n, seed=0):
    rng = np.random.default_rng(seed)
    verbs = ["sees", "finds", "takes", "likes", "makes"]
    nouns = ["cat", "dog", "tree", "house", "river", "stone", "bird"]
    out = []
    for a, v, b in zip(rng.integers(0, 7, n), rng.integers(0, 5, n), rng.integers(0, 7, n)):
        out.append(f"the {nouns[a]} {verbs[v]} the {nouns[b]}. ")
    return "".join(out)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(DIM, 3 * DIM, bias=False)
        self.proj = nn.Linear(DIM, DIM, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, HEADS, DIM // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(b, t, DIM))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.attn = Attention()
        self.mlp = nn.Sequential(nn.Linear(DIM, 4 * DIM), nn.GELU(), nn.Linear(4 * DIM, DIM))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class CharLM(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, DIM), nn.Embedding(BLOCK, DIM)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.ln = nn.LayerNorm(DIM)
        self.head = nn.Linear(DIM, vocab, bias=False)
        self.head.weight = self.tok.weight
        nn.init.normal_(self.tok.weight, std=0.02)

    def forward(self, ids):
        x = self.tok(ids) + self.pos.weight[: ids.shape[1]]
        return self.head(self.ln(self.blocks(x)))


def get_batches(data, steps, gen):
    offsets = torch.arange(BLOCK + 1)
    for _ in range(steps):
        start = torch.randint(0, len(data) - BLOCK - 1, (BATCH, 1), generator=gen)
        chunk = data[start + offsets]
        yield chunk[:, :-1], chunk[:, 1:]


def schedule(step, steps, base=1e-3, warm=5):
    if step < warm:
        return base * (step + 1) / warm
    return 0.1 * base + 0.45 * base * (1 + math.cos(math.pi * (step - warm) / (steps - warm)))


def main(steps=20):
    torch.manual_seed(0)
    text = make_text(20_000)
    chars = sorted(set(text))
    lookup = {c: i for i, c in enumerate(chars)}
    data = torch.tensor([lookup[c] for c in text])
    model = CharLM(len(chars))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    gen = torch.Generator().manual_seed(1)
    start = time.time()
    for step, (x, y) in enumerate(get_batches(data, steps, gen)):
        for group in opt.param_groups:
            group["lr"] = schedule(step, steps)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if (step + 1) % 5 == 0:
            rate = (step + 1) * BATCH * BLOCK / (time.time() - start)
            print(f"step {step + 1} loss {loss.item():.3f} {rate:.0f} tokens/s")


if __name__ == "__main__":
    main()
