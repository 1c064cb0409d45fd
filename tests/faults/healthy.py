"""No fault: a few large operators a step, in bfloat16, on data that is there, into memory that is there."""

from pathlib import Path

import torch
from recording import main, recorded

WIDTH = 768


def record(folder: Path) -> None:
    batch, weight = (torch.randn(WIDTH, WIDTH).to(torch.bfloat16) for _ in range(2))
    hidden, result = torch.empty_like(batch), torch.empty_like(batch)

    def step() -> None:
        torch.mm(batch, weight, out=hidden)
        torch.mm(hidden, weight, out=result)
        torch.mm(result, weight, out=hidden)

    recorded(step, folder, profile_memory=True)


if __name__ == "__main__":
    main(record)
