"""Text-guided diffusion sampling (DDIM) with a small UNet-like denoiser."""

import math
import time

import torch
import torch.nn.functional as F
from torch import nn

VOCAB, CTX, WIDTH = 5000, 48, 320


class TextEncoder(nn.Module):
    def __init__(self, layers=6):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH)
        self.pos = nn.Parameter(torch.randn(CTX, WIDTH) * 0.02)
        layer = nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, batch_first=True, norm_first=True, dropout=0.0)
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, ids):
        return self.body(self.tok(ids) + self.pos)


class Denoiser(nn.Module):
    def __init__(self, ch=24):
        super().__init__()
        self.inp = nn.Conv2d(4, ch, 3, padding=1)
        self.down = nn.Conv2d(ch, 2 * ch, 3, stride=2, padding=1)
        self.mid = nn.Conv2d(2 * ch, 2 * ch, 3, padding=1)
        self.up = nn.Conv2d(2 * ch, ch, 3, padding=1)
        self.out = nn.Conv2d(ch, 4, 3, padding=1)
        self.time = nn.Linear(32, 2 * ch)
        self.ctx = nn.Linear(WIDTH, 2 * ch)

    def forward(self, x, t, context):
        freqs = torch.exp(-math.log(1000.0) * torch.arange(16) / 16)
        ang = t * freqs
        temb = self.time(torch.cat([ang.sin(), ang.cos()]))
        h0 = F.silu(self.inp(x))
        h = F.silu(self.down(h0)) + temb[None, :, None, None]
        q = h.flatten(2).transpose(1, 2)
        kv = self.ctx(context)
        h = h + F.scaled_dot_product_attention(q, kv, kv).transpose(1, 2).reshape(h.shape)
        h = F.silu(self.mid(h))
        h = F.interpolate(h, scale_factor=2.0, mode="nearest")
        return self.out(F.silu(self.up(h)) + h0)


class Pipeline:
    def __init__(self, guidance=5.0):
        self.encoder = TextEncoder().eval()
        self.denoiser = Denoiser().eval()
        self.guidance = guidance
        betas = torch.linspace(1e-4, 0.02, 1000)
        self.alphas = torch.cumprod(1 - betas, 0)

    def tokenize(self, prompts):
        ids = torch.zeros(len(prompts), CTX, dtype=torch.long)
        for row, text in enumerate(prompts):
            toks = [1 + sum(w.encode()) * 31 % (VOCAB - 1) for w in text.split()][:CTX]
            ids[row, : len(toks)] = torch.tensor(toks)
        return ids

    def predict(self, x, t, prompts, negative):
        ids = self.tokenize(negative + prompts)
        context = self.encoder(ids)
        eps = self.denoiser(torch.cat([x, x]), t, context)
        uncond, cond = eps.chunk(2)
        return uncond + self.guidance * (cond - uncond)

    @torch.inference_mode()
    def __call__(self, prompts, steps=10):
        x = torch.randn(len(prompts), 4, 32, 32)
        negative = ["blurry low quality"] * len(prompts)
        times = torch.linspace(999, 0, steps).long().tolist()
        for i, t in enumerate(times):
            eps = self.predict(x, t, prompts, negative)
            a = self.alphas[t]
            prev = self.alphas[times[i + 1]] if i + 1 < steps else torch.tensor(1.0)
            x0 = ((x - (1 - a).sqrt() * eps) / a.sqrt()).clamp(-3, 3)
            x = prev.sqrt() * x0 + (1 - prev).sqrt() * eps
        return x


def main():
    torch.manual_seed(0)
    pipe = Pipeline()
    subjects = ["a red fox", "an old lighthouse", "two cups of coffee", "a city at night", "mountain lake"]
    for n, subject in enumerate(subjects):
        start = time.time()
        prompts = [f"{subject} in style number {k}, detailed, soft light" for k in range(4)]
        latents = pipe(prompts)
        print(f"batch {n}: std {latents.std():.3f} {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
