"""The fault: a compiled function prints and asks for a value, so that the compiler cuts it into three graphs."""

from pathlib import Path

import torch
from compiling import log_of
from recording import main


def forward(batch: torch.Tensor) -> torch.Tensor:
    hidden = torch.sin(batch)
    print("hidden", end="")
    if hidden.sum().item() > 1e9:
        hidden = hidden + 1
    return torch.cos(hidden)


def record(folder: Path) -> None:
    compiled = torch.compile(forward, backend="eager")
    with log_of(folder):
        for _ in range(4):
            compiled(torch.ones(8, 8))


if __name__ == "__main__":
    main(record)
