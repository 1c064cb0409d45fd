"""No fault: a few large operators a step, on data that is there, into memory that is there.

In float32, like every program here whose fault is not its type: not every CPU multiplies bfloat16 fast, and that
float32 could be narrower is a low suspicion on a CPU.
"""

from pathlib import Path

import torch
from recording import main, recorded

WIDTH = 512


def record(folder: Path) -> None:
    batch, weight = (torch.randn(WIDTH, WIDTH) for _ in range(2))
    hidden, result = torch.empty_like(batch), torch.empty_like(batch)

    def step() -> None:
        torch.mm(batch, weight, out=hidden)
        torch.mm(hidden, weight, out=result)
        torch.mm(result, weight, out=hidden)

    recorded(step, folder, profile_memory=True)


if __name__ == "__main__":
    main(record)
