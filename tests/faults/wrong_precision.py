"""The fault: an array of numpy's default type went in, and all products are in float64 where float32 would do."""

from pathlib import Path

import torch
from recording import main, recorded

WIDTH = 512


def record(folder: Path) -> None:
    batch = torch.randn(WIDTH, WIDTH, dtype=torch.float64)
    weight = torch.randn_like(batch) / WIDTH**0.5
    hidden, result = torch.empty_like(batch), torch.empty_like(batch)

    def step() -> None:
        torch.mm(batch, weight, out=hidden)
        torch.mm(hidden, weight, out=result)
        torch.mm(result, weight, out=hidden)

    recorded(step, folder)


if __name__ == "__main__":
    main(record)
