"""A small language model, trained on made-up text: a first version as people write it, to try perfproof's tools on.

    python docs/examples/train.py --steps 60
    perfproof triage -- python docs/examples/train.py --steps 60
    perfproof profile --tool torch -- python docs/examples/train.py --steps 60

It runs on a GPU where there is one. Every step it fetches a batch, copies it, and prints nothing but reads the loss, as
a progress bar would. Its last line is the throughput: `tokens/s: 123456`.
"""

import argparse
import time

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=512)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--workers", type=int, default=0, help="processes that fetch batches")
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    batches = DataLoader(
        Text(options.steps * options.batch, options.length), options.batch, num_workers=options.workers
    )
    model = Model(options.width, options.layers, options.length).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    started, total = time.perf_counter(), 0.0
    for tokens in batches:
        tokens = tokens.to(device)
        logits = model(tokens[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    seconds = time.perf_counter() - started
    print(f"mean loss: {total / options.steps:.4f}")
    print(f"tokens/s: {options.steps * options.batch * options.length / seconds:.0f}")


class Text(Dataset):
    """Bytes with a pattern that can be learnt: runs of neighbouring letters."""

    def __init__(self, count: int, length: int) -> None:
        self.count, self.length = count, length

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> torch.Tensor:
        random = torch.Generator().manual_seed(index)
        steps = torch.randint(0, 3, (self.length + 1,), generator=random)
        return steps.cumsum(0) % 256


class Model(nn.Module):
    def __init__(self, width: int, layers: int, length: int) -> None:
        super().__init__()
        self.letters, self.places = nn.Embedding(256, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 256)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.letters(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Block(nn.Module):
    def __init__(self, width: int, head: int = 64) -> None:
        super().__init__()
        self.head = head
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part.unflatten(-1, (-1, self.head)).transpose(1, 2) for part in self.qkv(self.before(x)).chunk(3, -1)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.between(x))))


if __name__ == "__main__":
    main()
