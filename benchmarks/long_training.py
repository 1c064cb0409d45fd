"""A training of a small language model that takes more than a minute: for the cost of profilers on long programs.

    python benchmarks/long_training.py [--seconds S] [--device NAME]

Prints the time of a step every fifty steps, and at the end the median of these.
"""

import argparse
import statistics
import time

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.attend(self.before(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.join(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(functional.gelu(self.wide(self.after(x))))


class Model(nn.Module):
    def __init__(self, words: int, width: int, depth: int, length: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, width // 64) for _ in range(depth))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return functional.linear(self.norm(x), self.words.weight)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=70.0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=1024)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    model = Model(32_768, options.width, options.depth, options.length).to(options.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=options.device != "cpu")
    tokens = torch.randint(0, 32_768, (64, options.batch, options.length + 1), device=options.device)
    started = before = time.perf_counter()
    steps, taken = 0, []
    while time.perf_counter() - started < options.seconds:
        batch = tokens[steps % len(tokens)]
        with torch.autocast(options.device, dtype=torch.bfloat16):
            logits = model(batch[:, :-1])
            loss = functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        steps += 1
        if steps % 50 == 0:
            told = loss.item()
            now = time.perf_counter()
            taken.append((now - before) / 50)
            before = now
            print(f"step {steps}: loss {told:.3f}, {1e3 * taken[-1]:.2f} ms per step", flush=True)
    if taken:
        print(f"median {1e3 * statistics.median(taken):.2f} ms per step, {steps} steps")


if __name__ == "__main__":
    main()
