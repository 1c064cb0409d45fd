"""Pre-train a small decoder on a packed token stream."""

import math
import time

import torch
import torch.nn.functional as F
from torch import nn

VOCAB, CONTEXT, DIM, DEPTH, HEADS = 2048, 128, 256, 4, 8


class CausalBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_a = nn.LayerNorm(DIM)
        self.qkv = nn.Linear(DIM, 3 * DIM, bias=False)
        self.out = nn.Linear(DIM, DIM, bias=False)
        self.norm_m = nn.LayerNorm(DIM)
        self.up = nn.Linear(DIM, 4 * DIM)
        self.down = nn.Linear(4 * DIM, DIM)

    def forward(self, x):
        b, t, _ = x.shape
        qkv = self.qkv(self.norm_a(x)).view(b, t, 3, HEADS, DIM // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        att = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(att.transpose(1, 2).reshape(b, t, DIM))
        return x + self.down(F.gelu(self.up(self.norm_m(x))))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, DIM)
        self.positions = nn.Parameter(torch.zeros(CONTEXT, DIM))
        self.blocks = nn.Sequential(*[CausalBlock() for _ in range(DEPTH)])
        self.norm = nn.LayerNorm(DIM)
        self.head = nn.Linear(DIM, VOCAB, bias=False)
        self.head.weight = self.tokens.weight
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.positions[: ids.size(1)]
        logits = self.head(self.norm(self.blocks(x)))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def packed_stream(batch, seed=0):
    """Yield (input, target) pairs; the synthetic language is a noisy Markov chain."""
    g = torch.Generator().manual_seed(seed)
    successor = torch.randperm(VOCAB, generator=g)
    while True:
        ids = torch.empty(batch, CONTEXT + 1, dtype=torch.long)
        ids[:, 0] = torch.randint(0, VOCAB, (batch,), generator=g)
        noise = torch.rand(batch, CONTEXT, generator=g) < 0.2
        jumps = torch.randint(0, VOCAB, (batch, CONTEXT), generator=g)
        for t in range(CONTEXT):
            ids[:, t + 1] = torch.where(noise[:, t], jumps[:, t], successor[ids[:, t]])
        yield ids[:, :-1], ids[:, 1:]


def lr_at(step, total, peak=1e-3, warmup=5):
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


def main(steps=16, batch=4):
    torch.manual_seed(0)
    torch.set_num_threads(2)
    model = Decoder()
    decay = [p for p in model.parameters() if p.dim() > 1]
    plain = [p for p in model.parameters() if p.dim() <= 1]
    opt = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], betas=(0.9, 0.95)
    )
    stream = packed_stream(batch)
    t0 = time.perf_counter()
    for step in range(steps):
        for group in opt.param_groups:
            group["lr"] = lr_at(step, steps)
        ids, targets = next(stream)
        loss = model(ids, targets)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 4 == 3:
            tps = (step + 1) * batch * CONTEXT / (time.perf_counter() - t0)
            print(f"step {step + 1} loss {loss.item():.3f} {tps:,.0f} tok/s")


if __name__ == "__main__":
    main()
