"""Masked-token pretraining of a small transformer encoder."""

import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, DIM, HEADS, LAYERS, SEQ, BATCH = 200, 64, 4, 2, 16, 3
STEPS = 42
MASK = 0


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.qkv = nn.Linear(DIM, 3 * DIM)
        self.proj = nn.Linear(DIM, DIM)
        self.up, self.down = nn.Linear(DIM, 4 * DIM), nn.Linear(4 * DIM, DIM)

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, s, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        att = F.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(att.transpose(1, 2).reshape(b, s, DIM))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, DIM)
        nn.init.normal_(self.tok.weight, std=0.02)
        self.pos = nn.Parameter(0.02 * torch.randn(SEQ, DIM))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(DIM)

    def forward(self, tokens):
        x = self.tok(tokens) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.tok.weight.T


def lr_at(step, warm=10, peak=1e-3):
    if step < warm:
        return peak * (step + 1) / warm
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warm) / (STEPS - warm)))


def make_batch(gen):
    start = torch.randint(1, VOCAB, (BATCH, 1), generator=gen)
    tokens = (start + torch.arange(SEQ) * 7) % (VOCAB - 1) + 1
    hide = torch.rand(BATCH, SEQ, generator=gen) < 0.15
    return tokens.masked_fill(hide, MASK), tokens, hide


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    gen = torch.Generator().manual_seed(0)
    model = Encoder()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    start = time.time()
    for step in range(STEPS):
        for group in opt.param_groups:
            group["lr"] = lr_at(step)
        inputs, targets, hide = make_batch(gen)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(inputs)
            loss = F.cross_entropy(logits[hide].float(), targets[hide])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 6 == 0:
            print(
                f"step {step} loss {loss.item():.3f} {(step + 1) * BATCH * SEQ / (time.time() - start):.0f} tok/s",
                flush=True,
            )
    print(f"{time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
