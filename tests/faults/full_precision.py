"""The fault: products in float32 on cores that offer TensorFloat-32, which is switched off."""

from pathlib import Path

import torch
from recording import main, recorded

WIDTH = 4_096


def record(folder: Path) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    batch = torch.randn(WIDTH, WIDTH, device="cuda")
    weight, hidden = torch.randn_like(batch) / WIDTH**0.5, torch.empty_like(batch)

    def step() -> None:
        for _ in range(4):
            torch.mm(batch, weight, out=hidden)

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
