"""Character-level transformer language model on a synthetic grammar."""

import random
import time

import torch
from torch import nn
from torch.nn import functional as F

BLOCK = 96
BATCH = 24
WIDTH = 160
LAYERS = 3
HEADS = 4


def make_text(n_sentences, seed=0):
    rng = random.Random(seed)
    nouns = ["river", "engine", "garden", "signal", "window", "teacher", "market", "forest"]
    verbs = ["follows", "measures", "carries", "repeats", "opens", "answers"]
    adjs = ["quiet", "narrow", "green", "distant", "heavy", "early"]
    parts = []
    for _ in range(n_sentences):
        parts.append(f"the {rng.choice(adjs)} {rng.choice(nouns)} {rng.choice(verbs)} the {rng.choice(nouns)}. ")
    return "".join(parts)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, c // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.norm2(x))


class CharLM(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.tok = nn.Embedding(vocab, WIDTH)
        self.pos = nn.Parameter(torch.zeros(1, BLOCK, WIDTH))
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, vocab)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[:, : ids.shape[1]]
        return self.head(self.norm(self.blocks(x)))


class TextBatches:
    def __init__(self, ids, gen):
        self.windows = ids.unfold(0, BLOCK + 1, 1)
        self.gen = gen

    def next(self, n=BATCH):
        rows = torch.randint(0, self.windows.shape[0], (n,), generator=self.gen)
        chunk = self.windows[rows]
        return chunk[:, :-1], chunk[:, 1:]


def lm_loss(model, x, y):
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten())


@torch.no_grad()
def validate(model, batches, n=2):
    model.eval()
    value = sum(lm_loss(model, *batches.next()).item() for _ in range(n)) / n
    model.train()
    return value


def main():
    torch.manual_seed(0)
    text = make_text(4000)
    chars = sorted(set(text))
    lookup = {c: i for i, c in enumerate(chars)}
    ids = torch.tensor([lookup[c] for c in text])
    cut = int(0.9 * len(ids))
    gen = torch.Generator().manual_seed(1)
    train, val = TextBatches(ids[:cut], gen), TextBatches(ids[cut:], gen)
    model = CharLM(len(chars))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    steps = 28
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    t0 = time.perf_counter()
    for step in range(1, steps + 1):
        x, y = train.next()
        loss = lm_loss(model, x, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        schedule.step()
        if step % 7 == 0:
            print(
                f"step {step} train {loss.item():.3f} val {validate(model, val):.3f} {time.perf_counter() - t0:.1f}s",
                flush=True,
            )


if __name__ == "__main__":
    main()
